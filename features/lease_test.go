package features_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"context-manager/internal/agent"
	"context-manager/internal/agent/agenttest"
)

const foreignNonce = "foreign-holder"

func (w *world) leaseSteps(sc *godog.ScenarioContext) {
	sc.Step(`^a foreign claim on the default key, (\d+) ms old$`, func(age int64) { w.claimed("", age) })
	sc.Step(`^a foreign claim on "([^"]*)", (\d+) ms old$`, w.claimed)
	sc.Step(`^the claim file "([^"]*)" holds$`, w.claimFileHolds)
	sc.Step(`^the lease directory cannot be used$`, func() { w.setup.noLeases = true })
	sc.Step(`^no claim is left$`, func() error { return w.claimsAre() })
	sc.Step(`^the claim files are$`, func(table *godog.Table) error {
		var want []string
		for _, row := range table.Rows {
			want = append(want, row.Cells[0].Value)
		}
		return w.claimsAre(want...)
	})
	sc.Step(`^the claim on the default key is still foreign$`, func() error { return w.stillForeign("") })
	sc.Step(`^the claim on "([^"]*)" is still foreign$`, w.stillForeign)
}

// claimed puts a foreign claim where a call will look for it. The default key
// depends on the history, so it is made when that is known.
func (w *world) claimed(key string, age int64) {
	w.before = append(w.before, func(s session) error {
		name, err := w.key(key)
		if err != nil {
			return err
		}
		return writeClaim(s.leases(), name, foreignClaim(s.now()-age))
	})
}

func foreignClaim(at int64) []byte {
	return agenttest.JSON(agenttest.Object{"nonce": foreignNonce, "ts": at})
}

func (w *world) claimFileHolds(name string, doc *godog.DocString) {
	w.before = append(w.before, func(s session) error {
		return writeFile(filepath.Join(s.leases(), "context_lease", name), []byte(doc.Content))
	})
}

// key is a key, or the default one of the history when it is empty: SHA-256
// over every message's canonical form and a zero byte.
func (w *world) key(key string) (string, error) {
	if key != "" {
		return key, nil
	}
	list, err := agent.DecodeMessages(agenttest.Messages(w.history...))
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for i := range list {
		h.Write(append(list[i].AppendCanonical(nil), 0))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func writeClaim(dir, key string, claim []byte) error {
	return writeFile(claimPath(dir, key), claim)
}

// writeFile makes the directory as well: a worker opens its store when it likes.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// claimPath is the file of a key that needs no hashing.
func claimPath(dir, key string) string {
	var name strings.Builder
	for i := range len(key) {
		switch c := key[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			name.WriteByte(c)
		default:
			fmt.Fprintf(&name, "%%%02X", c)
		}
	}
	return filepath.Join(dir, "context_lease", name.String()+".json")
}

func (w *world) claimsAre(want ...string) error {
	if w.session == nil {
		return errors.New("nothing has been called")
	}
	got, err := claimFiles(w.session.leases())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the store was never opened
	}
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("got claim files %q, want %q", got, want)
	}
	return err
}

func (w *world) stillForeign(key string) error {
	name, err := w.key(key)
	if err != nil {
		return err
	}
	c, err := readClaim(w.session.leases(), name)
	if err == nil && c.Nonce != foreignNonce {
		err = fmt.Errorf("got nonce %q, want %q", c.Nonce, foreignNonce)
	}
	return err
}

// claim is what a claim file holds.
type claim struct {
	Nonce string `json:"nonce"`
	TS    int64  `json:"ts"`
}

func readClaim(dir, key string) (c claim, err error) {
	data, err := os.ReadFile(claimPath(dir, key))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}
