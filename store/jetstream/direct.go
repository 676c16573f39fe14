package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
)

var (
	errNoMessage = errors.New("no such message")
	errTooMany   = errors.New("too many results")
)

// A message is one of the stream's.
type message struct {
	seq     uint64 // of the stream
	subject string
	head    head
	payload []byte
}

func newMessage(seq uint64, subject string, data []byte) (message, error) {
	h, payload, err := unseal(data)
	if err != nil {
		return message{}, fmt.Errorf("message %d of the stream: %w", seq, err)
	}
	return message{seq: seq, subject: subject, head: h, payload: payload}, nil
}

func (l *Log) fromReply(m *nats.Msg) (message, error) {
	seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return message{}, fmt.Errorf("reply without a sequence: %w", err)
	}
	return newMessage(seq, m.Header.Get("Nats-Subject"), m.Data)
}

// How sure lastMessage is to be.
const (
	// authoritative asks the stream's leader where there are several copies.
	authoritative = true
	// anyCopy takes what one of them says, which may be a moment old.
	anyCopy = false
)

// lastMessage returns the last message of a subject, or errNoMessage.
func (l *Log) lastMessage(ctx context.Context, subject string, sure bool) (found message, err error) {
	err = retry(ctx, func() error {
		if sure && l.replicas > 1 {
			found, err = l.lastOfLeader(ctx, subject)
		} else {
			found, err = l.lastOfCopy(ctx, subject)
		}
		return err
	}, harmless)
	return found, err
}

func (l *Log) lastOfCopy(ctx context.Context, subject string) (message, error) {
	reply, err := l.request(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + l.names.stream + "." + subject})
	if err != nil {
		return message{}, err
	}
	if err := statusError(reply); err != nil {
		return message{}, err
	}
	return l.fromReply(reply)
}

func (l *Log) lastOfLeader(ctx context.Context, subject string) (message, error) {
	request, err := json.Marshal(query{LastFor: subject})
	if err != nil {
		return message{}, err
	}
	reply, err := l.request(ctx, &nats.Msg{Subject: "$JS.API.STREAM.MSG.GET." + l.names.stream, Data: request})
	if err != nil {
		return message{}, err
	}
	var answer struct {
		Error   *apiError `json:"error"`
		Message struct {
			Subject string `json:"subject"`
			Seq     uint64 `json:"seq"`
			Data    []byte `json:"data"`
		} `json:"message"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return message{}, err
	}
	if answer.Error != nil && answer.Error.Status == 404 {
		return message{}, errNoMessage
	}
	if answer.Error != nil {
		return message{}, answer.Error
	}
	return newMessage(answer.Message.Seq, answer.Message.Subject, answer.Message.Data)
}

// A query asks for messages, without a consumer.
type query struct {
	Seq       uint64   `json:"seq,omitzero"`          // from this one of the stream
	NextFor   string   `json:"next_by_subj,omitzero"` // those of this subject
	LastFor   string   `json:"last_by_subj,omitzero"` // the last one of this subject
	MultiLast []string `json:"multi_last,omitzero"`   // the last one of each of these, which may have wildcards
	UpTo      uint64   `json:"up_to_seq,omitzero"`    // no later than this
	Batch     int      `json:"batch,omitzero"`
	MaxBytes  int      `json:"max_bytes,omitzero"`
}

// A page is what answers a query.
type page struct {
	messages []message
	pending  uint64 // how many more there were
	last     uint64 // the stream's sequence of the last message, 0 without one
	upTo     uint64 // for MultiLast: how far it looked
}

// fetch asks until it gets a page: asking twice does no harm.
func (l *Log) fetch(ctx context.Context, q query) (p page, err error) {
	q.MaxBytes = maxPageBytes
	select {
	case l.pages <- struct{}{}:
		defer func() { <-l.pages }()
	case <-ctx.Done():
		return page{}, ctx.Err()
	}
	err = retry(ctx, func() error {
		p, err = l.fetchOnce(ctx, q)
		return err
	}, harmless)
	return p, err
}

// replyTime is how long a single reply may take before the query is made again.
const replyTime = 3 * time.Second

func (l *Log) fetchOnce(ctx context.Context, q query) (page, error) {
	request, err := json.Marshal(q)
	if err != nil {
		return page{}, err
	}
	s := l.session.Load()
	inbox := nats.NewInbox()
	replies := make(chan *nats.Msg, q.Batch+1) // the status is one more
	sub, err := l.conn.ChanSubscribe(inbox, replies)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = sub.Unsubscribe() }() // it fails with the connection, which ends it too
	if err := l.conn.PublishRequest("$JS.API.DIRECT.GET."+l.names.stream, inbox, request); err != nil {
		return page{}, err
	}
	var p page
	for {
		reply, err := next(ctx, replies, s)
		if err != nil {
			return page{}, err
		}
		if len(reply.Data) == 0 && reply.Header.Get("Status") != "" {
			return p.end(reply)
		}
		if last := reply.Header.Get("Nats-Last-Sequence"); last != strconv.FormatUint(p.last, 10) {
			return page{}, fmt.Errorf("%w: after message %d of the stream", errLost, p.last)
		}
		m, err := l.fromReply(reply)
		if err != nil {
			return page{}, err
		}
		p.messages = append(p.messages, m)
		p.last = m.seq
	}
}

func next(ctx context.Context, replies <-chan *nats.Msg, s *session) (*nats.Msg, error) {
	timer := time.NewTimer(replyTime)
	defer timer.Stop()
	select {
	case reply := <-replies:
		return reply, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.Done():
	case <-timer.C:
	}
	return nil, errLost
}

// end finishes a page with the status that follows the messages.
func (p page) end(reply *nats.Msg) (page, error) {
	if reply.Header.Get("Status") != "204" {
		err := statusError(reply)
		if errors.Is(err, errNoMessage) && len(p.messages) == 0 {
			return p, nil
		}
		return page{}, err
	}
	var err error
	if p.pending, err = strconv.ParseUint(reply.Header.Get("Nats-Num-Pending"), 10, 64); err != nil {
		return page{}, fmt.Errorf("end of a batch: %w", err)
	}
	if last := reply.Header.Get("Nats-Last-Sequence"); last != strconv.FormatUint(p.last, 10) {
		return page{}, fmt.Errorf("%w: after message %d of the stream", errLost, p.last)
	}
	p.upTo, _ = strconv.ParseUint(reply.Header.Get("Nats-UpTo-Sequence"), 10, 64)
	return p, nil
}

// statusError returns the error that a status without data stands for.
func statusError(m *nats.Msg) error {
	if len(m.Data) > 0 {
		return nil
	}
	switch status := m.Header.Get("Status"); status {
	case "":
		return nil
	case "404":
		return errNoMessage
	case "413":
		return errTooMany
	case "503":
		return nats.ErrNoResponders
	default:
		return fmt.Errorf("the engine answers %s %s", status, m.Header.Get("Description"))
	}
}

// nextOfCopy asks for one message.
func (l *Log) nextOfCopy(ctx context.Context, q query) (message, error) {
	request, err := json.Marshal(q)
	if err != nil {
		return message{}, err
	}
	reply, err := l.request(ctx, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + l.names.stream, Data: request})
	if err != nil {
		return message{}, err
	}
	if err := statusError(reply); err != nil {
		return message{}, err
	}
	return l.fromReply(reply)
}
