package summary_test

import (
	"testing"
	"unicode/utf8"

	"context-manager/internal/summary"
)

func TestPrefix(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		body string
		room int
		want int
	}{
		{"room for all", "abc", 5, 3},
		{"exact room", "abc", 3, 3},
		{"less room", "abc", 2, 2},
		{"no room", "abc", 0, 0},
		{"negative room", "abc", -1, 0},
		{"an empty body", "", 4, 0},
		{"a cut in a two-byte character", "aé", 2, 1},
		{"a cut after the second byte of four", "a😀b", 3, 1},
		{"a cut after the third byte of four", "a😀b", 4, 1},
		{"a cut behind a character", "a😀b", 5, 5},
		{"a first character too long", "😀", 3, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := summary.Prefix([]byte(row.body), row.room); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

func FuzzPrefix(f *testing.F) {
	f.Add("aé日😀", 5)
	f.Fuzz(func(t *testing.T, body string, room int) {
		if !utf8.ValidString(body) {
			return
		}
		n := summary.Prefix([]byte(body), room)
		if n < 0 || n > max(room, 0) || !utf8.ValidString(body[:n]) {
			t.Fatalf("got %d of %q with room %d, want whole characters that fit", n, body, room)
		}
		if _, next := utf8.DecodeRuneInString(body[n:]); next > 0 && n+next <= room {
			t.Fatalf("got %d of %q with room %d, want the longest", n, body, room)
		}
	})
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "\n  \t\r": true, "\u00a0\u2003\u3000\u2028": true, "\n x": false, "\u200b.": false,
	} {
		if got := summary.Blank(text); got != want {
			t.Errorf("got %v for %q, want %v", got, text, want)
		}
	}
}
