package devengine

import (
	"strings"

	"github.com/google/uuid"
)

// queueFunction is what a queue worker registers; the engine has none.
const queueFunction = "engine::queue::enqueue"

// enqueue hands a call to the queue worker and answers its receipt.
func (e *Engine) enqueue(q *call) {
	receipt := uuid.New().String()
	b := append([]byte(nil), `{"baggage":`...)
	b = appendOptional(b, q.baggage, q.hasBaggage)
	b = append(append(b, `,"data":`...), q.data...)
	b = appendMember(b, "function_id", q.function)
	b = appendMember(b, "messageReceiptId", receipt)
	if q.namespace != defaultNamespace {
		b = appendMember(b, "namespace", q.namespace)
	}
	b = appendMember(b, "queue", q.frame.queue)
	b = append(b, `,"traceparent":`...)
	b = append(appendOptional(b, q.traceparent, q.hasTraceparent), '}')
	q.release()
	e.deliver(&call{
		id: uuid.New(), function: queueFunction, namespace: defaultNamespace, data: b,
		done: func(_ []byte, bad *fault) {
			switch {
			case bad == nil:
				e.finish(q, []byte(`{"messageReceiptId":"`+receipt+`"}`), nil)
			case bad.code == codeNotFound && strings.Contains(bad.message, queueFunction):
				e.finish(q, nil, &fault{code: "enqueue_error", message: "No queue provider is installed. " +
					"`TriggerAction::Enqueue` routes through the `" + queueFunction + "` provider, which the standalone " +
					"queue worker registers. Add it with `iii worker add queue`. (underlying: " + bad.message + ")"})
			default:
				e.finish(q, nil, &fault{code: "enqueue_error", message: bad.Error()})
			}
		},
	})
}

func appendOptional(b []byte, v string, ok bool) []byte {
	if !ok {
		return append(b, "null"...)
	}
	return appendString(b, v)
}
