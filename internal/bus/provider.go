package bus

import (
	"bytes"
	"encoding/json"
	"sync"
)

// TriggerType is a kind of event that this worker provides. The engine hands over
// the bindings; firing is up to the worker: a [Client.Void] to the binding's
// function with its namespace and metadata.
type TriggerType struct {
	ID          string
	Description string
	// TriggerRequestFormat is the JSON Schema of a binding's config,
	// CallRequestFormat that of the event; omitted when empty.
	TriggerRequestFormat, CallRequestFormat json.RawMessage
	// Namespace the type is filed under; empty = this worker's own.
	Namespace string

	// OnBind takes a binding, new or replacing one of its id; nil accepts all. An
	// error refuses it: the one who bound is told its code, else
	// [CodeTriggerRejected], and its text.
	OnBind func(Binding) error
	// OnUnbind, if set, drops a binding. It is called for every binding when the
	// connection is lost; the engine hands the living ones over again on the next.
	OnUnbind func(id string)
}

// Binding is somebody's wish to be called when an event happens. OnBind and
// OnUnbind of all types are called one at a time, in the order of the frames.
type Binding struct {
	ID, Type, FunctionID string
	Config               json.RawMessage // nil when null
	Metadata             json.RawMessage // to be sent with each event; nil when absent
	// Namespace of the function, to be named when calling it; TriggerNamespace is
	// the one of the type. Empty = the default one.
	Namespace, TriggerNamespace string
}

func (t *TriggerType) frame() *buffer {
	b := appendText(appendFrame(nil, "registertriggertype"), "id", t.ID)
	b = appendText(b, "description", t.Description) // required, may be empty
	b = appendRaw(b, "trigger_request_format", t.TriggerRequestFormat)
	b = appendRaw(b, "call_request_format", t.CallRequestFormat)
	b = appendOptional(b, "namespace", t.Namespace)
	return &buffer{b: append(b, '}')}
}

// bindQueue keeps the order of bindings between the read loop, which must not
// wait, and the application.
type bindQueue struct {
	mu    sync.Mutex
	items []binding
	ready chan struct{} // capacity 1
}

type binding struct {
	Binding
	gone bool
}

func newBindQueue() *bindQueue { return &bindQueue{ready: make(chan struct{}, 1)} }

func (q *bindQueue) add(m *message) {
	item := binding{gone: m.kind == "unregistertrigger", Binding: Binding{
		ID: text(m.id), Type: text(m.triggerType), FunctionID: text(m.functionID),
		Config: bytes.Clone(m.config), Metadata: bytes.Clone(m.metadata),
		Namespace: text(m.namespace), TriggerNamespace: text(m.triggerNamespace),
	}}
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *bindQueue) take() []binding {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	return items
}

// bindLoop passes the bindings of one connection on, and takes them back at its
// end.
func (s *session) bindLoop() {
	bound := map[string]string{} // :: binding id → type
	defer func() {
		for id, kind := range bound {
			s.unbind(kind, id)
		}
	}()
	for {
		select {
		case <-s.work.Done():
			return
		case <-s.binds.ready:
		}
		for _, item := range s.binds.take() {
			if item.gone {
				if kind, known := bound[item.ID]; known {
					delete(bound, item.ID)
					s.unbind(kind, item.ID)
				}
				continue
			}
			err := s.bind(item.Binding)
			if err == nil {
				bound[item.ID] = item.Type
			}
			s.postBound(item.Binding, err)
		}
	}
}

func (s *session) bind(b Binding) (err error) {
	t := s.client.triggerType(b.Type)
	if t == nil {
		return &RemoteError{Code: CodeTriggerTypeNotFound, Message: "trigger type " + b.Type + " is not provided by this worker"}
	}
	if t.OnBind != nil {
		err = &RemoteError{Code: CodeInternal, Message: CodeInternal + ": the provider of " + b.Type + " panicked"}
		guard(s.log, "OnBind of "+b.Type, func() { err = t.OnBind(b) })
	}
	return err
}

func (s *session) unbind(kind, id string) {
	if t := s.client.triggerType(kind); t != nil && t.OnUnbind != nil {
		guard(s.log, "OnUnbind of "+kind, func() { t.OnUnbind(id) })
	}
}

// postBound answers a binding; it is sent by the loop's own goroutine, which may
// wait for the writer.
func (s *session) postBound(b Binding, err error) {
	frame := appendText(appendFrame(nil, "triggerregistrationresult"), "id", b.ID)
	frame = appendText(frame, "trigger_type", b.Type)
	frame = appendText(frame, "function_id", b.FunctionID)
	if err != nil {
		code, message := wireError(err, CodeTriggerRejected)
		frame = appendFailure(frame, code, message)
	}
	s.out.send(s.ctx.Done(), nil, parcel{buffer: &buffer{b: append(frame, '}')}, kind: request})
}
