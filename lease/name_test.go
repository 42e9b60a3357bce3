package lease_test

import (
	"path/filepath"
	"strings"
	"testing"

	"context-manager/lease"
)

func TestClaimName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 250)
	tests := []struct{ name, key, want string }{
		{"plain bytes stand for themselves", "aZ09._-", "aZ09._-.json"},
		{"other bytes are spelled in upper-case hex", "a b/ä\x00", "a%20b%2F%C3%A4%00.json"},
		{"a percent sign is spelled too", "%41", "%2541.json"},
		{"a way out is none", "../escape/me", "..%2Fescape%2Fme.json"},
		{"a dot is a name", ".", "..json"},
		{"two dots are a name", "..", "...json"},
		{"the empty key has a name", "", ".json"},
		{"a backslash is spelled", `..\x`, "..%5Cx.json"},
		{"the longest name is spelled", long, long + ".json"},
		{"a longer one is hashed", long + "k",
			"%sha256-3b8059c637939a483bdc7beef09f11b566581be6d14e25083b3041b77717de02.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := lease.ClaimName(tt.key); got != tt.want {
				t.Errorf("ClaimName = %q, want %q", got, tt.want)
			}
		})
	}
}

// Whatever a key says, it has one file inside the claims' directory.
func TestAcquire_anyKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"../escape/../../etc/passwd", "/etc/passwd", ".", "..", "", "a\x00b", "\xff\xfe", "C:\\x", "%2e%2e%2f",
		strings.Repeat("../", 100), strings.Repeat("x", 247), strings.Repeat("/", 84), strings.Repeat("ä", 100_000),
		"%sha256-" + strings.Repeat("0", 64), ".00.x.tmp", "a\nb",
	} {
		b := setup(t)
		l := acquire(t, b.store, key, defaultTTL)
		wantHeld(t, b.open(t), key, defaultTTL)
		got := b.files(t)
		if len(got) != 1 || filepath.Dir(got[0]) != "context_lease" {
			t.Errorf("files for key %.40q = %q, want one inside context_lease", key, got)
		}
		if err := l.Renew(t.Context()); err != nil {
			t.Errorf("Renew of key %.40q: %v", key, err)
		}
		release(t, l)
		if got := b.files(t); len(got) != 0 {
			t.Errorf("files after release of key %.40q = %q, want none", key, got)
		}
	}
}

func FuzzClaimName(f *testing.F) {
	for _, seed := range []string{"", ".", "a/b", "%", "%sha256-", strings.Repeat("x", 300)} {
		f.Add(seed, seed+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		name := lease.ClaimName(a)
		if len(name) > 255 || filepath.Base(name) != name || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00:") {
			t.Errorf("ClaimName(%q) = %q is no safe file name", a, name)
		}
		if at, ok := lease.StripeOfName(name); !ok || at != lease.StripeOf(a) {
			t.Errorf("the stripe of %q = %q, %v, want %q", name, at, ok, lease.StripeOf(a))
		}
		if other := lease.ClaimName(b); (name == other) != (a == b) {
			t.Errorf("%q and %q are both %q", a, b, name)
		}
		// A name from elsewhere is ours only when it is exactly what a key makes.
		lease.StripeOfName(b)
	})
}

func FuzzParseClaim(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"nonce":"x","ts":1}`, `{"nonce":"x","ts":1e3}`, `{"NONCE":"x","TS":0}`, "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, ok := lease.ParseClaim(data)
		if !ok {
			if c.Nonce != "" || c.TS != 0 {
				t.Errorf("a malformed claim gave %+v, want the zero claim", c)
			}
			return
		}
		if c.Nonce == "" || c.TS < 0 {
			t.Errorf("ParseClaim(%q) = %+v, want a nonce and a ts of at least 0", data, c)
		}
		printed := fakeFile{"n", c.TS}.String()
		if again, ok := lease.ParseClaim([]byte(printed)); !ok || again.TS != c.TS {
			t.Errorf("%s reads back as %+v, %v", printed, again, ok)
		}
	})
}
