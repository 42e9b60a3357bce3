package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"context-manager/internal/agent"
	"context-manager/internal/schema"
)

// Spec declares one function: what registration, schemas, goldens, docs and
// the command line know of it.
type Spec struct {
	// ID is the function's name on the bus.
	ID string
	// Description tells callers what it does.
	Description string
	// Metadata is registered with it.
	Metadata Metadata
	// Event marks a handler that the engine triggers: it takes any payload and
	// must not wait behind ordinary calls.
	Event bool
	// Invoke answers one request. data stands inside depth containers and must
	// not change until Invoke returns. The answer is appended to dst; a failure
	// is an *Error.
	Invoke func(ctx context.Context, s *Service, data []byte, depth int, dst []byte) ([]byte, error)

	request, response reflect.Type
}

// Metadata is what a function is registered with beside its schemas.
type Metadata struct {
	// Internal hides the function from listings for models; it stays callable.
	Internal bool `json:"internal,omitempty"`
	// TraceHidden lets trace viewers start with its spans hidden.
	TraceHidden bool `json:"trace_hidden,omitempty"`
}

// JSON returns the metadata as registered.
func (m Metadata) JSON() json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // two booleans
	}
	return b
}

// RequestSchema returns the draft-07 schema of the request.
func (s *Spec) RequestSchema() json.RawMessage { return schemaOf(s.request) }

// ResponseSchema returns the draft-07 schema of the answer.
func (s *Spec) ResponseSchema() json.RawMessage { return schemaOf(s.response) }

// Specs is the table of functions, in the order they are registered.
var Specs = []Spec{
	bind("context::assemble",
		"Fits a conversation into a model's context window: counts it, then, only as far as needed, replaces old function outputs by placeholders, summarises the oldest messages and reduces oversized results. What comes back always fits, and calls keep their results.",
		Metadata{Internal: true, TraceHidden: true}, (*Service).Assemble),
	bind("context::compact",
		"Summarises the older part of a conversation now, whether or not it still fits, and says from which message on the rest is to be kept word for word.",
		Metadata{Internal: true, TraceHidden: true}, (*Service).Compact),
	bind("context::prune",
		"Replaces old, large function outputs by short placeholders. Messages, calls and their pairing stay as they are.",
		Metadata{TraceHidden: true}, (*Service).Prune),
	bind("context::count-tokens",
		"Counts the tokens of messages, a system prompt and tools, in total and by role, without changing anything.",
		Metadata{TraceHidden: true}, (*Service).CountTokens),
	event("context::on-config-change",
		"Fetches the settings again after the engine said that they changed.",
		(*Service).OnConfigChange),
	event("context::on-models-changed",
		"Forgets cached model limits after the router said that its models changed.",
		(*Service).OnModelsChanged),
}

// Find returns the spec of a function id.
func Find(id string) (*Spec, bool) {
	for i := range Specs {
		if Specs[i].ID == id {
			return &Specs[i], true
		}
	}
	return nil, false
}

// bind makes the one path from a request's bytes to an answer's: decode, call,
// code the error, encode.
func bind[Req, Resp any](id, description string, m Metadata, h func(*Service, context.Context, *Req) (*Resp, error)) Spec {
	return Spec{
		ID: id, Description: description, Metadata: m,
		request: reflect.TypeFor[Req](), response: reflect.TypeFor[Resp](),
		Invoke: func(ctx context.Context, s *Service, data []byte, depth int, dst []byte) (_ []byte, err error) {
			defer s.recovered(ctx, id, &err)
			var req Req
			if err := agent.Decode(data, depth, &req); err != nil {
				return nil, coded(err)
			}
			resp, err := h(s, ctx, &req)
			if err != nil {
				return nil, coded(err)
			}
			return encode(dst, resp)
		},
	}
}

// event makes a handler that ignores its payload: it is a nudge, and a nudge
// of a shape nobody foresaw still is one.
func event[Req, Resp any](id, description string, h func(*Service, context.Context, *Req) (*Resp, error)) Spec {
	return Spec{
		ID: id, Description: description, Metadata: Metadata{Internal: true, TraceHidden: true}, Event: true,
		request: reflect.TypeFor[Req](), response: reflect.TypeFor[Resp](),
		Invoke: func(ctx context.Context, s *Service, _ []byte, _ int, dst []byte) (_ []byte, err error) {
			defer s.recovered(ctx, id, &err)
			resp, err := h(s, ctx, new(Req))
			if err != nil {
				return nil, coded(err)
			}
			return encode(dst, resp)
		},
	}
}

// recovered turns a panic into an error without a stack; the log has it.
func (s *Service) recovered(ctx context.Context, id string, err *error) {
	if r := recover(); r != nil {
		s.logPanic(ctx, id, r)
		*err = &Error{CodeInternal, fmt.Sprintf("%s failed; the worker's log says why", id)}
	}
}

var schemas sync.Map // reflect.Type → json.RawMessage

func schemaOf(t reflect.Type) json.RawMessage {
	if doc, ok := schemas.Load(t); ok {
		return doc.(json.RawMessage)
	}
	doc, err := schema.Generate(t, SchemaOptions())
	if err != nil {
		// The types are this program's own and tests generate them all.
		panic(fmt.Sprintf("functions: schema of %v: %v", t, err))
	}
	schemas.Store(t, doc)
	return doc
}
