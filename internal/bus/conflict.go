package bus

import "errors"

const (
	codeFunctionConflict = "FUNCTION_NAMESPACE_CONFLICT"
	codeWorkerConflict   = "WORKER_NAMESPACE_CONFLICT"
)

// rejected handles a registration that the engine refused. A function that
// somebody else owns leaves the rest working; everything else is about the worker
// as a whole, and the engine closes the connection.
func (s *session) rejected(m *message) {
	code, owner, namespace := text(m.code), text(m.owner), text(m.namespace)
	if code == codeFunctionConflict {
		id := text(m.functionID)
		s.log.Warn("another worker owns this function; its calls go there", "function", id, "namespace", namespace, "owner", owner)
		s.mu.Lock()
		s.refused[id] = owner
		s.mu.Unlock()
		select {
		case s.refusals <- struct{}{}:
		default:
		}
		return
	}
	if code != codeWorkerConflict {
		s.log.Error("the engine refused a registration", "code", code, "namespace", namespace, "owner", owner)
	}
	select {
	case s.rejections <- &WorkerConflictError{Code: code, Namespace: namespace, Name: s.client.opts.Worker.Name, Owner: owner}:
	default:
	}
}

// forgiveFunction forgets a refusal because the id is registered anew.
func (s *session) forgiveFunction(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refused, id)
}

// allRefused returns an error when the engine left this worker not one of its
// public functions: then nobody can call it, and going on would hide that.
func (c *Client) allRefused(s *session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	conflict := &FunctionConflictError{Namespace: c.opts.Namespace}
	fill(&conflict.Namespace, "default")
	for _, f := range c.registry.functions {
		owner, refused := s.refused[f.ID]
		switch {
		case f.Bypass:
		case !refused:
			return nil
		default:
			conflict.IDs = append(conflict.IDs, f.ID)
			fill(&conflict.Owner, owner)
		}
	}
	if len(conflict.IDs) == 0 {
		return nil
	}
	return conflict
}

func isFunctionConflict(err error) bool {
	var conflict *FunctionConflictError
	return errors.As(err, &conflict)
}
