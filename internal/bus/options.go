package bus

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"
)

// DefaultURL is where an engine listens unless it is told otherwise.
const DefaultURL = "ws://127.0.0.1:49134"

// Options configure a [Client]. Zero values mean the defaults given.
type Options struct {
	// URL of the engine, ws:// or wss://; empty = [DefaultURL].
	URL string
	// Namespace the worker registers in; blank = the engine's default namespace.
	Namespace string
	// Worker is how the worker announces itself.
	Worker WorkerInfo
	// Logger gets the events of the connection, never contents of messages;
	// nil = no log.
	Logger *slog.Logger

	// MaxRunning handlers run at once; 0 = max(4, 2 × GOMAXPROCS). A handler that
	// waits on the bus does not count.
	MaxRunning int
	// MaxWaiting is how many more calls there may be than may run: they wait for a
	// handler or, with one, on the bus; 0 = 1,024. What comes beyond that is
	// answered with [CodeOverloaded], at once.
	MaxWaiting int
	// MaxWaitingBytes bounds the frames of the waiting calls; 0 = 512 MiB.
	MaxWaitingBytes int64
	// ReadLimit in bytes of one incoming message; 0 = 64 MiB. A longer one costs
	// the connection (close code 1009).
	ReadLimit int64
	// CallTimeout of an outgoing call that names none; 0 = 30 s.
	CallTimeout time.Duration

	// DrainTimeout is how long running handlers may take to end when the client
	// stops; 0 = 2.5 s.
	DrainTimeout time.Duration
	// CloseTimeout bounds what follows the drain, writing the last answers and the
	// close handshake; 0 = 300 ms.
	CloseTimeout time.Duration

	// DialTimeout of one attempt to connect, the handshake included; 0 = 10 s.
	DialTimeout time.Duration
	// BackoffFirst is the pause after the first lost or failed connection; 0 =
	// 100 ms. It varies by ±30 % and doubles up to BackoffMax; 0 = 30 s.
	BackoffFirst, BackoffMax time.Duration
	// BackoffReset is how long a connection must last to start again with
	// BackoffFirst; 0 = 5 s. The first call answered on it does the same.
	BackoffReset time.Duration
	// PingInterval between WebSocket pings; 0 = 20 s.
	PingInterval time.Duration
	// SilenceLimit without a single byte from the engine after which the
	// connection counts as dead; 0 = 60 s.
	SilenceLimit time.Duration

	// ConflictTries more are made, spread over ConflictWindow with growing pauses,
	// when the engine refuses the worker's name, which a half-open socket of an
	// earlier process may still hold; 0 = 5 tries in 30 s.
	ConflictTries  int
	ConflictWindow time.Duration
	// ConflictSettle is how long to wait after a refused function before deciding
	// that all of them were refused; 0 = 500 ms.
	ConflictSettle time.Duration

	// OnDialError, if set, is called on the goroutine of Run after every failed
	// attempt to connect, with the number of attempts since the last connection.
	OnDialError func(err error, attempt int)
}

// WorkerInfo is what the engine lists about a worker.
type WorkerInfo struct {
	// Name must be unique in the namespace; empty = the environment's
	// III_WORKER_NAME, else "<hostname>:<pid>".
	Name        string
	Version     string // omitted when empty
	Description string // omitted when empty
	Runtime     string // empty = "go"
	OS          string // empty = "<GOOS> <GOARCH>"
	PID         int    // 0 = this process; without one the engine lists no worker
}

func (o Options) withDefaults() Options {
	fill(&o.URL, DefaultURL)
	if strings.TrimSpace(o.Namespace) == "" {
		o.Namespace = ""
	}
	o.Worker = o.Worker.withDefaults()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	fill(&o.MaxRunning, max(4, 2*runtime.GOMAXPROCS(0)))
	fill(&o.MaxWaiting, 1024)
	fill(&o.MaxWaitingBytes, 512<<20)
	fill(&o.ReadLimit, 64<<20)
	fill(&o.CallTimeout, 30*time.Second)
	fill(&o.DrainTimeout, 2500*time.Millisecond)
	fill(&o.CloseTimeout, 300*time.Millisecond)
	fill(&o.DialTimeout, 10*time.Second)
	fill(&o.BackoffFirst, 100*time.Millisecond)
	fill(&o.BackoffMax, 30*time.Second)
	fill(&o.BackoffReset, 5*time.Second)
	fill(&o.PingInterval, 20*time.Second)
	fill(&o.SilenceLimit, 60*time.Second)
	fill(&o.ConflictTries, 5)
	fill(&o.ConflictWindow, 30*time.Second)
	fill(&o.ConflictSettle, 500*time.Millisecond)
	return o
}

func (w WorkerInfo) withDefaults() WorkerInfo {
	fill(&w.PID, os.Getpid())
	fill(&w.Name, strings.TrimSpace(os.Getenv("III_WORKER_NAME")))
	if w.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "localhost"
		}
		w.Name = fmt.Sprintf("%s:%d", host, w.PID)
	}
	fill(&w.Runtime, "go")
	fill(&w.OS, runtime.GOOS+" "+runtime.GOARCH)
	return w
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
