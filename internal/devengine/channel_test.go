package devengine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"context-manager/internal/devengine"
)

// channel makes a channel and returns what opens its ends.
func (c *client) channel(size string) (open func(direction string) *peer) {
	c.t.Helper()
	c.call("engine::channels::create", size, `{"writer":{"channel_id":"$uuid(ch)","access_key":"$uuid(key)","direction":"write"},"reader":"$object"}`)
	url := strings.TrimSuffix(c.vars["url"].(string), "/") + "/ws/channels/" + c.vars["ch"].(string) + "?key=" + c.vars["key"].(string) + "&dir="
	return func(direction string) *peer {
		c.t.Helper()
		k, err := dialPeer(direction, url+direction)
		if err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(k.kill)
		return k
	}
}

func TestSweepOfChannels(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := connect(t, e, "a")
	a.vars["url"] = e.URL()
	waiting, writing, whole, young := a.channel(`{}`), a.channel(`{}`), a.channel(`{}`), a.channel(`{}`)
	r, w := waiting("read"), writing("write")
	wholeReader, wholeWriter := whole("read"), whole("write")
	e.SweepChannels(time.Now().Add(-time.Minute)) // all are younger
	youngWriter := young("write")
	for _, k := range []*peer{r, w, wholeReader, wholeWriter} {
		if k.over() {
			t.Fatalf("%s: got it closed, want it open", k.name)
		}
	}
	e.SweepChannels(time.Now())
	if err := r.wantClosed(float64(1005), patience); err != nil {
		t.Error(err)
	}
	w.sendText([]byte("x"))
	if err := w.wantClosed(float64(1006), patience); err != nil {
		t.Error(err)
	}
	youngWriter.sendText([]byte("x"))
	if err := youngWriter.wantClosed(nil, patience); err != nil {
		t.Error(err)
	}
	wholeWriter.sendText([]byte("x"))
	if err := wholeReader.take("text", "x", nil, patience); err != nil {
		t.Error(err)
	}
}

// TestChannelHoldsBack: a channel takes no more than its room, and the writer
// is not read from until the reader has taken something.
func TestChannelHoldsBack(t *testing.T) {
	t.Parallel()
	e := start(t, devengine.Options{})
	a := connect(t, e, "a")
	a.vars["url"] = e.URL()
	open := a.channel(`{"buffer_size":0}`) // 1
	w := open("write")
	const frames, size = 40, 1 << 20 // more than sockets hold
	var sent []int
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range frames {
			w.sendText([]byte(fmt.Sprintf("%d%s", i, strings.Repeat("x", size))))
			sent = append(sent, i)
		}
		w.close()
	}()
	select {
	case <-done:
		t.Fatalf("got all %d frames accepted with no reader, want the writer held back", frames)
	case <-time.After(200 * time.Millisecond):
	}
	r := open("read")
	for i := range frames {
		if err := r.take("text", fmt.Sprintf("%d%s", i, strings.Repeat("x", size)), nil, patience); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	if err := r.wantClosed(float64(1005), patience); err != nil {
		t.Error(err)
	}
	if len(sent) != frames {
		t.Errorf("got %d frames sent, want %d", len(sent), frames)
	}
	for _, bad := range []string{`{"buffer_size":-1}`, `{"buffer_size":"1"}`, `{"buffer_size":1.5}`} {
		a.fail("engine::channels::create", bad, "deserialization_error")
	}
}
