package devengine

import (
	"context"
	"log/slog"
)

var logLevels = []struct {
	name  string
	level slog.Level
}{
	{"trace", slog.LevelDebug - 4},
	{"debug", slog.LevelDebug},
	{"info", slog.LevelInfo},
	{"warn", slog.LevelWarn},
	{"error", slog.LevelError},
}

// logger is engine::log::*: the line goes to the engine's own log.
func (e *Engine) logger(level slog.Level) func(*call) ([]byte, *fault) {
	return func(q *call) ([]byte, *fault) {
		in, bad := q.input()
		if bad != nil {
			return nil, bad
		}
		message := in.required("message")
		service, _ := in.optional("service_name")
		if in.bad != nil {
			return nil, in.bad
		}
		if service == "" && q.caller != nil {
			e.mu.Lock()
			service = q.caller.about.name
			e.mu.Unlock()
		}
		attrs := []slog.Attr{slog.String("service", service)}
		if data := in.some("data"); data != nil {
			attrs = append(attrs, slog.String("data", string(data)))
		}
		e.log.LogAttrs(context.Background(), level, message, attrs...)
		return nil, nil
	}
}
