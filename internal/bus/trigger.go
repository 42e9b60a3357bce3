package bus

import "encoding/json"

// Trigger binds a function to a trigger type: when the type's provider fires, it
// calls the function.
type Trigger struct {
	// ID is global in the engine: somebody else's binding of the same id is
	// replaced. By convention <worker>::<purpose>.
	ID string
	// Type, for example "configuration". One that nobody provides yet is kept by
	// the engine until somebody does.
	Type       string
	FunctionID string
	// Config is the provider's business, JSON; empty = {}.
	Config json.RawMessage
	// Metadata reaches the function beside the event; omitted when empty.
	Metadata json.RawMessage
	// Namespace the function is looked up in when the trigger fires; empty = the
	// engine's default one, whatever namespace this worker is in.
	Namespace string
	// TriggerNamespace the provider is looked up in; empty = this worker's own,
	// then the default one.
	TriggerNamespace string
	// OnRejected, if set, is called when the provider refuses the binding, with a
	// *[RemoteError]; it is logged in any case. Being accepted is silent. The next
	// connection waits for it to return.
	OnRejected func(error)
}

func (t *Trigger) frame() *buffer {
	config := t.Config
	if len(config) == 0 {
		config = json.RawMessage("{}")
	}
	b := appendText(appendFrame(nil, "registertrigger"), "id", t.ID)
	b = appendText(b, "trigger_type", t.Type)
	b = appendText(b, "function_id", t.FunctionID)
	b = appendRaw(b, "config", config)
	b = appendRaw(b, "metadata", t.Metadata)
	b = appendOptional(b, "namespace", t.Namespace)
	b = appendOptional(b, "trigger_namespace", t.TriggerNamespace)
	return &buffer{b: append(b, '}')}
}

// triggerRefused handles an answer to one of our bindings; only refusals come.
func (s *session) triggerRefused(m *message) {
	id := text(m.id)
	remote, ok := remoteError(m.failure)
	if !ok {
		return
	}
	s.log.Warn("a trigger was refused", "id", id, "type", text(m.triggerType), "code", remote.Code, "reason", remote.Message)
	if t := s.client.trigger(id); t != nil && t.OnRejected != nil {
		s.callback("OnRejected of "+id, func() { t.OnRejected(remote) })
	}
}
