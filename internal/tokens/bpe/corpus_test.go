package bpe_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// read returns a file under testdata.
func read(tb testing.TB, name string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// source returns this package's own Go source, without the generated table.
func source(tb testing.TB) string {
	tb.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	for _, name := range names {
		if name == "class_table.go" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(data)
	}
	// The oracle is wrong about the long s, which the tests speak of.
	return strings.ReplaceAll(b.String(), "ſ", "s")
}

// babble returns size bytes or a little more of a random walk through the
// units of a text: each is followed by one that follows it in the text too. It
// makes much text with the words, or characters, and the rhythm of a little.
func babble(units []string, size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	follow := map[string][]int{}
	for i := range len(units) - 1 {
		follow[units[i]] = append(follow[units[i]], i+1)
	}
	var b strings.Builder
	for at := 0; b.Len() < size; {
		b.WriteString(units[at])
		next := follow[units[at]]
		if len(next) == 0 || r.IntN(8) == 0 {
			at = r.IntN(len(units))
			continue
		}
		at = next[r.IntN(len(next))]
	}
	return b.String()
}

func prose(tb testing.TB, size int) string {
	return babble(strings.SplitAfter(read(tb, "prose.txt"), " "), size)
}

func chinese(tb testing.TB, size int) string {
	return babble(strings.Split(read(tb, "chinese.txt"), ""), size)
}

// code returns Go source of about that size, in shuffled lines.
func code(tb testing.TB, size int) string {
	return babble(strings.SplitAfter(source(tb), "\n"), size)
}

func base64Text(size int) string {
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, size/4*3)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(data)
}

func logs(lines int) string {
	r := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "2026-03-%02dT%02d:%02d:%02d.%03dZ\t%s [worker-%d] 10.%d.%d.%d:%d GET /api/v2/items/%x?page=%d&q=%%20 %d %.2fms\r\n",
			1+i%28, r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), []string{"INFO ", "WARN ", "ERROR", "DEBUG"}[r.IntN(4)],
			r.IntN(16), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(65536), r.Uint64(), r.IntN(99), 200+r.IntN(400), r.Float64()*900)
	}
	return b.String()
}

func jsonText(depth int) string {
	if depth == 0 {
		return `{"id":"c1","ok":true,"n":-1.5e-7,"tags":["a","b\n","\u00e9"],"empty":{},"nothing":null}`
	}
	inner := jsonText(depth - 1)
	return fmt.Sprintf("{\n  \"depth\": %d,\n  \"left\": %s,\n\t\"path\": \"C:\\\\temp\\\\x.txt\",\n  \"right\": [%s, %s]\n}", depth, inner, inner, inner)
}

// corpus is the text of every kind that the equality tests use.
func corpus(tb testing.TB) map[string]string {
	var controls, spaces strings.Builder
	for b := range 0x100 {
		controls.WriteRune(rune(b))
		if b%3 == 0 {
			controls.WriteString("x's")
		}
	}
	for _, r := range "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\u180e\u200b" {
		for _, around := range []string{"%c", "a%cb", "a%c%cb", "%c\n%c", "\n%c\n", "1%c 2", "%c.", " %c x", ".%c"} {
			spaces.WriteString(strings.ReplaceAll(around, "%c", string(r)))
		}
	}
	return map[string]string{
		"English prose":       read(tb, "prose.txt"),
		"Chinese prose":       read(tb, "chinese.txt"),
		"many languages":      read(tb, "languages.txt"),
		"Go source":           source(tb),
		"JSON":                jsonText(4),
		"log lines":           logs(60),
		"base64":              base64Text(4000),
		"control characters":  controls.String(),
		"white space":         spaces.String(),
		"emoji":               "😀😃 👩‍👩‍👧‍👦🏳️‍🌈🇩🇪🇫🇷 👍🏽👍 ☎️ 1️⃣ ❤️‍🔥 🫠\U0001fae9 a😀b 'ok'👌's",
		"contractions":        "I'm you're HE'S we'LL they'Ve can't 'd 'D 's's 'tis o'clock ’s x'sx X'Sx 'rE 'l 'lL 'v 'r '",
		"case and marks":      "HTTPServer iPhone ABCdef ABC中def 中ABC ǅungla ǅ ʰaʰA A\u0301B a\u0301b \u0301 \u0301A \u0301AB. !\u0301a ﬀ Ⅷⅷ ²³ ٣٤٥٦ 𝟘𝟙𝟚𝟛 İı ßẞ",
		"control token text":  "<|endoftext|> <|im_start|>system<|im_end|> <|fim_prefix|><|endofprompt|>\n<|start|>assistant<|channel|>final<|message|>",
		"invalid UTF-8":       "ok \xff\xfe a\x80b \xc3 \xe4\xb8 \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf \xf5\x80 中\xffé",
		"punctuation":         "...!!! --> /* */ // https://a.b/c?d=e#f {{[(<>)]}} ;;\n\n//\n /\n/ ==\r\n/ $1,234.56 #!@ …—„“”‘’ «»\n",
		"long words":          strings.Repeat("Donaudampfschifffahrtsgesellschaftskapitän", 7) + " " + strings.Repeat("ACGT", 300),
		"runs of one":         strings.Repeat("a", 300) + strings.Repeat(" ", 300) + "x" + strings.Repeat("\n", 150) + strings.Repeat("=", 200) + strings.Repeat("中", 80) + strings.Repeat("0", 100) + strings.Repeat("é", 130) + strings.Repeat("😀", 70),
		"line breaks":         "a\n\n  b\r\n\r\n\tc \n d\n \n\n \t\n  \n",
		"nothing":             "",
		"the shortest texts":  "a",
		"a space at the end ": "x  ",
	}
}
