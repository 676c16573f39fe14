package session

import "math"

// places says where in the log of a thread each run stands, so that a run can be read
// without all others.
type places map[string]*place

// A place is where one run stands.
type place struct {
	First   uint64 `json:"first"`            // entry that has to do with the run: its input
	Last    uint64 `json:"last,omitzero"`    // entry of its end; 0 while it has none
	Resumes string `json:"resumes,omitzero"` // the stopped run it goes on with
}

func (p places) of(runID string, seq uint64) *place {
	if p[runID] == nil {
		p[runID] = &place{First: seq}
	}
	return p[runID]
}

// follow takes in the record with the given sequence.
func (p places) follow(r Record, seq uint64) {
	switch r := r.(type) {
	case Input:
		p.of(r.RunID, seq)
	case Queued:
		p.of(r.RunID, seq)
	case Started:
		p.of(r.RunID, seq).Resumes = r.Resumes
	case Ended:
		p.of(r.RunID, seq).Last = seq
	case Asked: // follows the Ended of its run
		p.of(r.RunID, seq).Last = seq
	}
}

// around returns the entries between which the given runs stand, with all runs of their
// turns.
func (p places) around(runIDs ...string) (first, last uint64) {
	first = math.MaxUint64
	for _, id := range runIDs {
		for at := p[id]; at != nil; at = p[at.Resumes] {
			first = min(first, at.First)
			if at.Last == 0 {
				last = math.MaxUint64
			}
			last = max(last, at.Last)
			if at.Resumes == "" {
				break
			}
		}
	}
	if first == math.MaxUint64 {
		return 1, math.MaxUint64 // nothing is known of them
	}
	return first, last
}
