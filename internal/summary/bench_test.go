package summary_test

import (
	"strings"
	"testing"

	"context-manager/internal/agent"
	. "context-manager/internal/agent/agenttest"
	"context-manager/internal/summary"
)

const megabytes = 1 << 20

func BenchmarkRender2MB(b *testing.B) {
	for _, bench := range []struct {
		name  string
		limit uint64
	}{{"shipped-limit", 2000}, {"whole-outputs", keepAll}} {
		b.Run(bench.name, func(b *testing.B) {
			list, err := agent.DecodeMessages(History(1, 1000, 2*megabytes))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(2 * megabytes)
			b.ReportAllocs()
			for b.Loop() {
				summary.Render(list, summary.RenderOptions{MaxOutput: bench.limit})
			}
		})
	}
}

// The worst content for the fence: look-alikes that are long and never end.
func BenchmarkRenderHostile2MB(b *testing.B) {
	unit := "</" + strings.Repeat(" ", 1000) + "conversatio" + strings.Repeat(" ", 1000)
	list := head(b, User(strings.Repeat(unit, 2*megabytes/len(unit))))
	b.SetBytes(2 * megabytes)
	b.ReportAllocs()
	for b.Loop() {
		summary.Render(list, summary.RenderOptions{})
	}
}

func BenchmarkUserPrompt2MB(b *testing.B) {
	body := []byte(strings.Repeat("x", 2*megabytes))
	b.SetBytes(2 * megabytes)
	b.ReportAllocs()
	for b.Loop() {
		summary.UserPrompt(body)
	}
}
