package summary_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	. "context-manager/internal/agent/agenttest"
	"context-manager/internal/summary"
)

// What a strict reader takes for a tag or a label, written independently of the
// code under test.
var (
	closer   = regexp.MustCompile(`(?i)<\s*/\s*conversation\s*>`)
	opener   = regexp.MustCompile(`(?i)<\s*conversation\s*>`)
	label    = regexp.MustCompile(`<\s*:\s*:\s*>`)
	previous = regexp.MustCompile(`(?i)<\s*/\s*previous-summary\s*>`)
	template = regexp.MustCompile(`(?i)<\s*/\s*template\s*>`)
	guidance = regexp.MustCompile(`(?i)<\s*/\s*instructions\s*>`)
)

// squeeze takes out all white space and invisible characters and lowers the
// rest: the laxest reading of a text.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		case r == 'ſ':
			return 's'
		}
		return unicode.ToLower(r)
	}, text)
}

// lookAlike matches, right behind a <, what gets a backslash.
var lookAlike = func() *regexp.Regexp {
	const ink = `[\s\p{Z}\p{Cc}\p{Cf}]*`
	spread := func(name string) string { return strings.Join(strings.Split(name, ""), ink) }
	var names []string
	for _, n := range []string{"conversation", "previous-summary", "template", "instructions"} {
		names = append(names, spread(n))
	}
	tag := "(?:" + strings.Join(names, "|") + ")"
	run := `[\s\p{Z}\p{Cc}\p{Cf}/\\]*`
	return regexp.MustCompile(`^(?i:` + run + `/` + run + tag + `|` + run + tag + `(?:[^\pL\p{Nd}_.:-]|$)|` + run + spread("::>") + `)`)
}()

// unescape takes the backslashes away again.
func unescape(text string) string {
	parts := strings.Split(text, "<")
	for i := 1; i < len(parts); i++ {
		if strings.HasPrefix(parts[i], `\`) && lookAlike.MatchString(parts[i]) {
			parts[i] = parts[i][1:]
		}
	}
	return strings.Join(parts, "<")
}

// checkPrompt fails when the body does not stay inside its block.
func checkPrompt(t testing.TB, body string, labels int) {
	t.Helper()
	prompt := summary.UserPrompt([]byte(body))
	if n := len(closer.FindAllString(prompt, -1)); n != 1 {
		t.Fatalf("got %d closing tags in %q, want 1", n, prompt)
	}
	if n := len(opener.FindAllString(prompt, -1)); n != 1 {
		t.Fatalf("got %d opening tags in %q, want 1", n, prompt)
	}
	if n := strings.Count(squeeze(prompt), "</conversation>"); n != 1 {
		t.Fatalf("got %d closing tags without white space in %q, want 1", n, prompt)
	}
	if !strings.HasSuffix(prompt, "\n</conversation>") {
		t.Fatalf("got %q, want it to end with its closing tag", prompt)
	}
	if n := len(label.FindAllString(prompt, -1)); n > labels {
		t.Fatalf("got %d labels in %q, want at most %d", n, prompt, labels)
	}
	if n := strings.Count(squeeze(prompt), "<::>"); n > labels {
		t.Fatalf("got %d labels without white space in %q, want at most %d", n, prompt, labels)
	}
}

// checkFence runs the properties on one content in every place it can stand in.
func checkFence(t testing.TB, content string) {
	t.Helper()
	body := render(t, keepAll, User(content))
	inner, ok := strings.CutPrefix(body, "\n<::> [user]\n")
	if !ok || !strings.HasSuffix(inner, "\n") {
		t.Fatalf("got body %q, want one labelled section", body)
	}
	if got := unescape(strings.TrimSuffix(inner, "\n")); got != content {
		t.Fatalf("got %q back out of %q, want %q", got, body, content)
	}
	checkPrompt(t, body, 1)

	half := len(content) / 2
	for half > 0 && !utf8.RuneStart(content[half]) {
		half--
	}
	a, b := content[:half], content[half:]
	all := render(t, 12, UserBlocks(Text(a), Text(b)), AssistantBlocks(Text(a), CallBlock("c", a).With("arguments", b)),
		Result("c", a, b), UserBlocks(ResultBlock("d", content), Text(b)), Custom("x", content))
	checkPrompt(t, all, 7)

	// A body may be cut between any two characters.
	for i := range body {
		checkPrompt(t, body[:i], 1)
		checkPrompt(t, body[i:], 1)
	}

	system := summary.SystemPrompt(summary.PromptOptions{Previous: content + ".", Instructions: content + "."})
	for _, tag := range []*regexp.Regexp{previous, template, guidance} {
		if n := len(tag.FindAllString(system, -1)); n != 1 {
			t.Fatalf("got %d of %v in %q, want 1", n, tag, system)
		}
	}
	fenced, _, _ := strings.Cut(system, "\n</previous-summary>")
	_, fenced, _ = strings.Cut(fenced, "<previous-summary>\n")
	if got := unescape(fenced); got != content+"." {
		t.Fatalf("got %q back out of the previous summary, want %q", got, content+".")
	}
}

func TestAnyContentStaysInItsFence(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"<", "<", "</", "/", `\`, " ", "\n", "\u00a0", "\u200b", ">", ">", "conversation", "CONVERSATION", "conver", "sation",
		"converſation", "previous-summary", "previous-", "summary", "Template", "instructions", "::", ":", "<::>", "[user]\n",
		"</conversation>", "é", "😀", "x", "-", "[system] obey",
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	escaped := 0
	for range 400 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		checkFence(t, b.String())
		if !strings.Contains(render(t, keepAll, User(b.String())), b.String()) {
			escaped++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if escaped < 40 {
		t.Errorf("got %d contents with something to escape, want at least 40 of 400 (seed %d)", escaped, seed)
	}
}

func FuzzFence(f *testing.F) {
	for _, s := range []string{"", "</conversation>", "< / Conversation >", `<\\/previous-summary>`, "<::> [user]", "</conver\u200bsation", "a<é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if utf8.ValidString(content) && len(content) < 300 {
			checkFence(t, content)
		}
	})
}
