package devengine

// The frames the engine sends. All keys stand in the order the iii engine
// writes them; absent values are left out.

func encodeHello(c *conn) []byte {
	b := append(takeBuffer(160), `{"type":"workerregistered","worker_id":"`...)
	b = append(b, c.text...)
	b = append(b, `","reattach_token":"`...)
	b = append(b, c.token.String()...)
	return append(b, `"}`...)
}

func encodeNameRejected(namespace, name, owner string) []byte {
	b := append(takeBuffer(256), `{"type":"registrationrejected","code":"WORKER_NAMESPACE_CONFLICT"`...)
	b = appendMember(b, "namespace", namespace)
	b = appendMember(b, "worker_name", name)
	b = appendMember(b, "owner_worker_id", owner)
	return append(b, '}')
}

func encodeFunctionRejected(namespace, id, owner string) []byte {
	b := append(takeBuffer(256), `{"type":"registrationrejected","code":"FUNCTION_NAMESPACE_CONFLICT"`...)
	b = appendMember(b, "namespace", namespace)
	b = appendMember(b, "function_id", id)
	b = appendMember(b, "owner_worker_id", owner)
	return append(b, '}')
}

// encodeInvoke is a call as its executor sees it.
func encodeInvoke(q *call) []byte {
	b := append(takeBuffer(len(q.data)+len(q.metadata)+256), `{"type":"invokefunction","invocation_id":"`...)
	b = append(b, q.id.String()...)
	b = append(b, '"')
	b = appendMember(b, "function_id", q.function)
	b = append(b, `,"data":`...)
	if q.caller != nil && q.frame != nil {
		s := q.frame.at[fData]
		b = q.frame.split.appendWithCaller(b, q.frame.text, s.lo, s.hi, q.caller.text)
	} else {
		b = append(b, q.data...)
	}
	if parent := cleanTraceparent(q.traceparent); parent != "" {
		b = appendMember(b, "traceparent", parent)
	}
	if q.traced() {
		b = appendMember(b, "baggage", baggageWith(q.baggage, q.function))
	}
	if q.metadata != nil {
		b = append(append(b, `,"metadata":`...), q.metadata...)
	}
	return append(b, '}')
}

// encodeResult is an answer as the caller sees it. An absent result and null
// are the same.
func encodeResult(q *call, result []byte, bad *fault) []byte {
	b := append(takeBuffer(len(result)+256), `{"type":"invocationresult","invocation_id":"`...)
	b = append(b, q.id.String()...)
	b = append(b, '"')
	b = appendMember(b, "function_id", q.function)
	switch {
	case bad != nil:
		b = bad.append(append(b, `,"error":`...))
	case result != nil && string(result) != "null":
		b = append(append(b, `,"result":`...), result...)
	}
	if q.hasTraceparent {
		b = appendMember(b, "traceparent", q.traceparent)
	}
	if q.hasBaggage {
		b = appendMember(b, "baggage", q.baggage)
	}
	return append(b, '}')
}

// encodeBinding tells a provider of a binding.
func encodeBinding(t *binding) []byte {
	b := append(takeBuffer(len(t.config)+len(t.metadata)+256), `{"type":"registertrigger"`...)
	b = appendMember(b, "id", t.id)
	b = appendMember(b, "trigger_type", t.trigger)
	b = appendMember(b, "function_id", t.function)
	b = append(append(b, `,"config":`...), t.config...)
	if t.metadata != nil {
		b = append(append(b, `,"metadata":`...), t.metadata...)
	}
	if t.namespace != defaultNamespace {
		b = appendMember(b, "namespace", t.namespace)
	}
	if t.provider.key.namespace != defaultNamespace {
		b = appendMember(b, "trigger_namespace", t.provider.key.namespace)
	}
	return append(b, '}')
}

func encodeUnbinding(t *binding) []byte {
	b := append(takeBuffer(128), `{"type":"unregistertrigger"`...)
	b = appendMember(b, "id", t.id)
	b = appendMember(b, "trigger_type", t.trigger)
	return append(b, '}')
}

// encodeBindingRefused tells whoever made a binding that it did not work.
func encodeBindingRefused(id, trigger, function string, bad *fault) []byte {
	b := append(takeBuffer(256), `{"type":"triggerregistrationresult"`...)
	b = appendMember(b, "id", id)
	b = appendMember(b, "trigger_type", trigger)
	b = appendMember(b, "function_id", function)
	return append(bad.append(append(b, `,"error":`...)), '}')
}

// appendMember appends a further member of an object whose value is a string.
func appendMember(b []byte, name, value string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendString(b, value)
}
