package worker

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"context-manager/config"
	"context-manager/internal/contract"
)

// The frames of a worker's first minute, as an engine sees them: how it
// announces itself, what it registers, and how it answers a call. Schemas are
// goldens of their own and cut here.
func TestFramesAreGoldens(t *testing.T) {
	t.Parallel()
	frames := make(chan string, 64)
	over := make(chan struct{})
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(1 << 20)
		say := func(text string) { _ = c.Write(r.Context(), websocket.MessageText, []byte(text)) }
		say(`{"type":"workerregistered","worker_id":"11111111-2222-4333-8444-555555555555","reattach_token":"11111111-2222-4333-8444-555555555556"}`)
		for {
			_, data, err := c.Read(r.Context())
			if err != nil {
				return
			}
			select {
			case frames <- string(data):
			case <-over:
				return
			}
			if bytes.Contains(data, []byte(`"engine::functions::info"`)) {
				id := regexp.MustCompile(`"invocation_id":"([^"]+)"`).FindSubmatch(data)
				say(`{"type":"invocationresult","invocation_id":"` + string(id[1]) + `","function_id":"engine::functions::info","result":{"functions":[]}}`)
				for i, request := range []string{hello, `{"messages":"x"}`} {
					say(`{"type":"invokefunction","invocation_id":"11111111-2222-4333-8444-55555555556` + strconv.Itoa(i) +
						`","function_id":"context::prune","data":` + request + `}`)
				}
			}
		}
	}))
	defer engine.Close()
	defer close(over)
	set := config.Default()
	set.LeaseDir = t.TempDir()
	w := New(Options{URL: "ws" + strings.TrimPrefix(engine.URL, "http"), Name: "context-manager", Settings: &set})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- w.Run(ctx) }()
	var seen []string
	for answers := 0; answers < 2; {
		frame := <-frames
		seen = append(seen, frame)
		if strings.HasPrefix(frame, `{"type":"invocationresult"`) {
			answers++
		}
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	slices.Sort(seen[len(seen)-2:]) // answers come in any order
	text := strings.Join(seen, "\n") + "\n"
	for pattern, with := range map[string]string{
		`"request_format":\{.*?\},"response_format"`:                `"request_format":{…},"response_format"`,
		`"response_format":\{.*?\},"metadata"`:                      `"response_format":{…},"metadata"`,
		`"pid":` + strconv.Itoa(os.Getpid()):                        `"pid":1`,
		`"os":"[^"]*"`:                                              `"os":"…"`,
		`("invocation_id":")[0-9a-f-]{36}(","function_id":"engine)`: `${1}…${2}`,
	} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, with)
	}
	contract.Golden(t, "frames.txt", []byte(text))
}

const hello = `{"messages":[{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1001,"extra":1.50}]}`
