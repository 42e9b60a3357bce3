package devengine

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Options say how an engine runs. The zero value is an engine on a free
// loopback port that keeps its configuration in memory.
type Options struct {
	// Listen is the address to bind, host and port; the host must be a
	// loopback address. Empty means 127.0.0.1:0.
	Listen string
	// Logger gets what the engine has to say; nil means silence. Contents of
	// messages are never logged, except what workers send to engine::log::*.
	Logger *slog.Logger
	// ConfigDir is the directory the configuration worker keeps its values in,
	// one YAML file an entry, made when missing. Empty means memory: values
	// then survive Restart, but not Close. Schemas survive neither.
	ConfigDir string
	// Getenv resolves ${VAR} in configuration values; nil means os.LookupEnv.
	Getenv func(string) (string, bool)
	// Grace is how long registrations wait for engine::workers::register;
	// 0 means 5 s.
	Grace time.Duration
	// DisableConfiguration leaves the configuration worker out: its functions
	// and its trigger type do not exist.
	DisableConfiguration bool
	// OnListen, when set, is called with the time whenever the engine has begun
	// to listen: by Start and by every Restart, before they return. Of the
	// engine it may call URL, nothing else.
	OnListen func(time.Time)
}

// Errors of the engine's own life.
var (
	// ErrClosed is returned by Start and Restart once Close has been called.
	ErrClosed = errors.New("engine closed")
	// ErrState is returned by Start when the engine runs already and by
	// Restart when it does not run.
	ErrState = errors.New("engine started twice, or not started")
)

const (
	defaultListen = "127.0.0.1:0"
	defaultGrace  = 5 * time.Second
)

// Engine is an embedded engine. Its methods can be called from any goroutine.
type Engine struct {
	// fixed at creation
	opt     Options
	log     *slog.Logger
	closing chan struct{} // closed by Close

	faults faults

	// life is held over a whole Start, Restart or Close
	life    sync.Mutex
	running bool
	address string // host:port, kept over Restart
	server  *http.Server
	quit    chan struct{} // closed when this run ends
	wg      sync.WaitGroup

	closeOnce sync.Once

	urlMu sync.Mutex
	url   string

	// mu guards everything below and the parts of connections, bindings and
	// calls that say so. Nobody waits while holding it.
	mu        sync.Mutex
	down      bool // no new sockets
	links     map[*link]struct{}
	timers    map[*timer]struct{}
	workers   map[uuid.UUID]*conn
	names     map[key]*conn
	functions map[key]*function
	pending   map[uuid.UUID]*call
	types     map[key]*triggerType
	bindings  map[string]*binding
	sequence  uint64 // of bindings
	channels  map[string]*channel
	started   time.Time
	inside    []inProcess // workers of the engine's own
	announced string      // the functions functions-available last told of

	configuration *configStore // nil when disabled
}

// key is an id in a namespace.
type key struct{ namespace, id string }

const defaultNamespace = "default"

// New makes an engine. It starts nothing.
func New(opt Options) *Engine {
	if opt.Listen == "" {
		opt.Listen = defaultListen
	}
	if opt.Grace <= 0 {
		opt.Grace = defaultGrace
	}
	if opt.Getenv == nil {
		opt.Getenv = os.LookupEnv
	}
	e := &Engine{opt: opt, log: opt.Logger, address: opt.Listen, closing: make(chan struct{}), down: true}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if !opt.DisableConfiguration {
		e.configuration = newConfigStore(opt.ConfigDir, opt.Getenv, e.log)
	}
	return e
}

// URL is where workers connect, ws://127.0.0.1:port; empty before Start. It
// stays the same over Restart.
func (e *Engine) URL() string {
	e.urlMu.Lock()
	defer e.urlMu.Unlock()
	return e.url
}

// InFlight is the number of calls that a worker has been given and has not
// answered.
func (e *Engine) InFlight() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.pending)
}

func (e *Engine) setURL(a net.Addr) {
	e.urlMu.Lock()
	defer e.urlMu.Unlock()
	e.url = "ws://" + a.String()
}
