package agenttest

import "strings"

var words = strings.Fields(`account answer batch block buffer budget cache call cancel channel check client
	close config context count cursor deadline decode deliver digest drain encode engine entry error event
	field file filter flush frame group handle header history index input kind label lease limit list lock
	match member merge message meter name node offset option order output owner page parse part path peer
	plan policy pool port prompt query queue range read record reply request result retry role route rule
	scan schema scope seal search section session shape size slot source span split stack state step store
	stream summary table tail target task text timer token trace tree trigger turn value view watch window`)

var connectors = strings.Fields(`the a this every that and or but when before after without with for from into
	over which should must can may never always only again then so because while it we they is are was has`)

// foreign holds what an ASCII-only text would hide from a scanner.
var foreign = []string{"naïve", "“quoted”", "größer", "→", "—", "配置", "履歴を読む", "한국어", "🙂", "✓"}

func (w *historian) word() string { return words[w.rand.IntN(len(words))] }

func (w *historian) token(n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[w.rand.IntN(len(alphabet))]
	}
	return string(b)
}

// prose is about n bytes of sentences, in paragraphs.
func (w *historian) prose(n int) string {
	var b strings.Builder
	b.Grow(n + 32)
	for length := 0; b.Len() < n; length++ {
		word := connectors[w.rand.IntN(len(connectors))]
		switch k := w.rand.IntN(60); {
		case k == 0:
			word = foreign[w.rand.IntN(len(foreign))]
		case k == 1:
			word = "`" + w.word() + "." + w.word() + "`"
		case k == 2:
			word = `"` + w.word() + `"`
		case k < 30:
			word = w.word()
		}
		b.WriteString(word)
		switch end := length > 5 && w.rand.IntN(8) == 0; {
		case end && w.rand.IntN(6) == 0:
			b.WriteString(".\n\n")
			length = 0
		case end:
			b.WriteString(". ")
			length = 0
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// source is about n bytes that look like Go.
func (w *historian) source(n int) string {
	var b strings.Builder
	b.Grow(n + 256)
	for b.Len() < n {
		typ, name := w.title()+w.title(), w.title()
		b.WriteString("// " + name + " " + w.word() + "s the " + w.word() + " of one " + w.word() + ".\n")
		b.WriteString("func (s *" + typ + ") " + name + "(ctx context.Context, " + w.word() + " string) (*" + w.title() + ", error) {\n")
		for range 1 + w.rand.IntN(6) {
			w.statement(&b)
		}
		b.WriteString("\treturn s." + w.word() + "(ctx), nil\n}\n\n")
	}
	return b.String()
}

func (w *historian) title() string {
	word := w.word()
	return strings.ToUpper(word[:1]) + word[1:]
}

func (w *historian) statement(b *strings.Builder) {
	x, y := w.word(), w.word()
	switch w.rand.IntN(5) {
	case 0:
		b.WriteString("\tif err := s." + x + "." + w.title() + "(ctx, " + y + "); err != nil {\n")
		b.WriteString("\t\treturn nil, fmt.Errorf(\"" + x + "ing %q: %w\", " + y + ", err)\n\t}\n")
	case 1:
		b.WriteString("\tfor i, " + x + " := range s." + y + "s {\n\t\ts." + w.word() + "[i] += len(" + x + ") << 2\n\t}\n")
	case 2:
		b.WriteString("\tswitch " + x + ".kind {\n\tcase '\\n', '\\t':\n\t\t" + y + "++\n\tdefault:\n\t\t" + y + " = 0x" + "ff\n\t}\n")
	case 3:
		b.WriteString("\ts.log.Debug(\"" + x + "\", \"" + y + "\", " + y + ", \"count\", len(s." + w.word() + "s)) // " + w.word() + " & " + w.word() + "\n")
	default:
		b.WriteString("\t" + x + " := &" + w.title() + "{" + w.title() + ": " + y + ", Limit: 4096}\n")
	}
}
