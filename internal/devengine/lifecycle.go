package devengine

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// handshakeTimeout bounds the request head of an upgrade.
const handshakeTimeout = 10 * time.Second

// Start binds the address and begins to serve. When the address is taken the
// error is syscall.EADDRINUSE for errors.Is.
func (e *Engine) Start() error {
	e.life.Lock()
	defer e.life.Unlock()
	if e.running {
		return ErrState
	}
	if err := loopbackOnly(e.address); err != nil {
		return err
	}
	return e.run()
}

// Close ends the engine: all sockets are dropped and everything it started has
// ended when it returns. Closing twice is fine. The error is always nil.
func (e *Engine) Close() error {
	e.closeOnce.Do(func() { close(e.closing) })
	e.life.Lock()
	defer e.life.Unlock()
	if e.running {
		e.halt()
	}
	return nil
}

// Restart is the engine's process dying and coming back: all sockets are
// dropped, everything workers registered is forgotten, schemas of the
// configuration worker too; for the time down nothing listens, then the same
// port does. What Delay and Drop have set stays.
func (e *Engine) Restart(down time.Duration) error {
	e.life.Lock()
	defer e.life.Unlock()
	if !e.running {
		return ErrState
	}
	e.halt()
	if !e.rest(down) {
		return ErrClosed
	}
	// Another process may have got the port for a moment, as the local end of
	// a connection. Wait it out, within reason.
	const tries, pause = 40, 50 * time.Millisecond
	for i := 1; ; i++ {
		err := e.run()
		if !errors.Is(err, syscall.EADDRINUSE) || i == tries {
			return err
		}
		if !e.rest(pause) {
			return ErrClosed
		}
	}
}

// rest waits; it is false when Close ends it.
func (e *Engine) rest(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.closing:
		return false
	}
}

// run begins one life of the engine; e.life is held.
func (e *Engine) run() error {
	select {
	case <-e.closing:
		return ErrClosed
	default:
	}
	ln, err := net.Listen("tcp", e.address)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", e.address, err)
	}
	if err := e.begin(); err != nil {
		ln.Close()
		return err
	}
	e.address = ln.Addr().String()
	e.setURL(ln.Addr())
	e.running = true
	e.quit = make(chan struct{})
	e.server = &http.Server{
		Handler:           e.routes(),
		ReadHeaderTimeout: handshakeTimeout,
		ErrorLog:          slog.NewLogLogger(e.log.Handler(), slog.LevelDebug),
		ConnState:         e.countConns,
	}
	if e.opt.OnListen != nil {
		e.opt.OnListen(time.Now())
	}
	server, quit := e.server, e.quit
	e.wg.Go(func() { _ = server.Serve(ln) }) // ErrServerClosed, from halt
	e.wg.Go(func() { e.clock(quit) })
	e.log.Info("engine listening", "address", e.address)
	return nil
}

// begin makes the engine empty and open for sockets.
func (e *Engine) begin() error {
	if e.configuration != nil {
		if err := e.configuration.load(); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = false
	e.links = map[*link]struct{}{}
	e.timers = map[*timer]struct{}{}
	e.workers = map[uuid.UUID]*conn{}
	e.names = map[key]*conn{}
	e.functions = map[key]*function{}
	e.pending = map[uuid.UUID]*call{}
	e.types = map[key]*triggerType{}
	e.bindings = map[string]*binding{}
	e.channels = map[string]*channel{}
	e.started = time.Now()
	e.addBuiltins()
	e.announced = e.functionSet()
	return nil
}

// halt ends one life of the engine and waits for all of it; e.life is held.
func (e *Engine) halt() {
	e.mu.Lock()
	e.down = true
	for t := range e.timers {
		t.stop()
	}
	e.mu.Unlock()
	close(e.quit)
	_ = e.server.Close()
	// A handler that was upgrading just now sees down and closes its own link.
	e.mu.Lock()
	for l := range e.links {
		_ = l.Close()
	}
	e.mu.Unlock()
	e.wg.Wait()
	e.running = false
	e.log.Info("engine stopped", "address", e.address)
}

// countConns makes wg wait for connections the http server has accepted.
// Upgraded ones are counted by their handler instead.
func (e *Engine) countConns(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		e.wg.Add(1)
	case http.StateHijacked, http.StateClosed:
		e.wg.Done()
	case http.StateActive, http.StateIdle:
	}
}

// loopbackOnly refuses an address that other machines could reach.
func loopbackOnly(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("reading the address to listen on: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("reading the address to listen on: %s is no loopback address", address)
	}
	return nil
}
