package jetstream

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// victimDir is set for the process that is killed: the directory of its log.
const victimDir = "AGUI_BRIDGE_TEST_VICTIM"

const victimThreads = 3

// victim appends to its threads until it is killed, and prints what was
// acknowledged. Every fortieth append has two messages.
func victim(dir string) {
	ctx := context.Background()
	l, err := OpenEmbedded(ctx, dir, Options{})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	var out sync.Mutex
	var wg sync.WaitGroup
	for i := range victimThreads {
		thread := fmt.Sprint("t", i)
		wg.Go(func() {
			at := uint64(0)
			for e := range l.Read(ctx, thread, 0) {
				at = e.Seq
			}
			for {
				body := victimBody(at + 1)
				if at, err = l.Append(ctx, thread, at, entry(body)); err != nil {
					fmt.Println("error", err)
					return
				}
				out.Lock()
				fmt.Println(thread, at)
				out.Unlock()
			}
		})
	}
	wg.Wait()
}

func victimBody(seq uint64) string {
	body := fmt.Sprint("entry ", seq, " ")
	if seq%40 == 0 {
		body += strings.Repeat("x", maxPartBytes)
	}
	return body
}

// A process that appends is killed at any moment. Nothing that it was told is
// in the log is missing, nothing is in it twice, and it can be opened at once.
func TestKilled(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	dir := t.TempDir()
	total := uint64(0)
	for round := range rounds {
		acknowledged := kill(t, dir, time.Duration(round*7919%97)*time.Millisecond)
		total = 0
		l := embedded(t, dir)
		for i := range victimThreads {
			thread := fmt.Sprint("t", i)
			got := bodies(t, l, thread, 0)
			if uint64(len(got)) < acknowledged[thread] {
				t.Fatalf("round %d: thread %s holds %d entries, %d were acknowledged", round, thread, len(got), acknowledged[thread])
			}
			for i, body := range got {
				if body != victimBody(uint64(i)+1) {
					t.Fatalf("round %d: thread %s, entry %d is %.20q, %d bytes", round, thread, i+1, body, len(body))
				}
			}
			total += uint64(len(got))
		}
		l.Close()
	}
	t.Logf("%d entries after %d kills", total, rounds)
}

// kill lets a process append for a while after its first acknowledgement, and
// returns the last acknowledgement for each thread.
func kill(t *testing.T, dir string, after time.Duration) map[string]uint64 {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]uint64{}
	var timer *time.Timer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var thread string
		var seq uint64
		if n, _ := fmt.Sscan(lines.Text(), &thread, &seq); n != 2 {
			t.Errorf("the process says %q", lines.Text())
			cmd.Process.Kill()
			continue
		}
		acknowledged[thread] = seq
		if timer == nil {
			timer = time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
	}
	cmd.Wait()
	if timer != nil {
		timer.Stop()
	}
	return acknowledged
}
