package fakerouter

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Extractive answers a request for a summary without a model: it fills the
// headings that the system prompt asks for with lines picked from the
// conversation, after those of a previous summary, and says so in the summary.
func Extractive(q ChatRequest) Script { return Summary(extract(q.SystemPrompt, q.Text())) }

// extractiveLabel is the bullet by which such a summary is known.
const extractiveLabel = "this summary is extractive: lines picked from the conversation by a development router; no model wrote it"

const (
	bulletBytes = 160
	bullets     = 8 // of one heading
)

var defaultHeadings = []string{
	"## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked",
	"## Key Decisions", "## Actions Taken", "## Next Steps", "## Critical Context", "## Relevant Files",
}

var (
	labelLine = regexp.MustCompile(`^(?:<::> )?\[(user|assistant|function_result|custom|tool_call)\] ?(.*)$`)
	pathLike  = regexp.MustCompile(`[\w.-]*/?(?:[\w.-]+/)+[\w.-]+\.\w+`)
)

func extract(system, conversation string) string {
	if inside, ok := between(conversation, "<conversation>", "</conversation>"); ok {
		conversation = inside
	}
	found := pickLines(conversation)
	old, _ := between(system, "<previous-summary>", "</previous-summary>")
	previous := sections(old)
	var out strings.Builder
	headings := headingsOf(system)
	for i, heading := range headings {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(heading + "\n")
		if i+1 < len(headings) && level(headings[i+1]) > level(heading) {
			continue // its bullets stand under the next headings
		}
		name := strings.TrimLeft(heading, "# ")
		lines := merge(name, previous[name], found[name])
		if name == "Critical Context" {
			lines = append([]string{extractiveLabel}, lines...)
		}
		if len(lines) == 0 {
			lines = []string{"(none)"}
		}
		for _, line := range lines {
			out.WriteString("- " + line + "\n")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}

// pickLines sorts lines of a rendered conversation under the names of headings.
func pickLines(conversation string) map[string][]string {
	found := map[string][]string{}
	add := func(name, line string) {
		if line = clip(line); line != "" && !slices.Contains(found[name], line) {
			found[name] = append(found[name], line)
		}
	}
	role, first, failed := "", false, false
	for line := range strings.Lines(conversation) {
		line = strings.TrimSpace(line)
		if m := labelLine.FindStringSubmatch(line); m != nil {
			if m[1] == "tool_call" {
				add("Actions Taken", m[2])
				for _, path := range pathLike.FindAllString(m[2], 3) {
					add("Relevant Files", path)
				}
				continue
			}
			role, first, failed = m[1], true, strings.HasSuffix(m[2], "(error)")
			continue
		}
		if !first || line == "" {
			continue
		}
		first = false
		switch {
		case role == "user":
			if len(found["Goal"]) == 0 {
				add("Goal", line)
			}
			found["Next Steps"] = nil // only the last request counts
			add("Next Steps", line)
		case role == "assistant":
			add("Done", line)
		case role == "function_result" && failed:
			add("Blocked", line)
		}
	}
	return found
}

// merge puts the lines of a previous summary first and keeps the newest, of the
// goal the oldest.
func merge(name string, previous, found []string) (lines []string) {
	for _, line := range slices.Concat(previous, found) {
		if line != "(none)" && line != extractiveLabel && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	switch {
	case name == "Goal":
		return lines[:min(1, len(lines))]
	case name == "Next Steps" && len(found) > 0:
		return found
	}
	return lines[max(0, len(lines)-bullets):]
}

// headingsOf returns the headings of the template in a prompt, or the usual ones.
func headingsOf(system string) (headings []string) {
	template, _ := between(system, "<template>", "</template>")
	for line := range strings.Lines(template) {
		if strings.HasPrefix(line, "#") {
			headings = append(headings, strings.TrimSpace(line))
		}
	}
	if len(headings) == 0 {
		return defaultHeadings
	}
	return headings
}

// sections returns the bullets of a summary by heading.
func sections(summary string) map[string][]string {
	out, name := map[string][]string{}, ""
	for line := range strings.Lines(summary) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			name = strings.TrimLeft(line, "# ")
		} else if bullet, ok := strings.CutPrefix(line, "- "); ok {
			out[name] = append(out[name], bullet)
		}
	}
	return out
}

func level(heading string) int { return len(heading) - len(strings.TrimLeft(heading, "#")) }

// between returns what stands between two marks; ok is false when they are absent.
func between(text, open, end string) (inside string, ok bool) {
	_, inside, ok = strings.Cut(text, open)
	if i := strings.Index(inside, end); i >= 0 {
		inside = inside[:i]
	}
	return inside, ok
}

// clip cuts on a character boundary.
func clip(line string) string {
	if len(line) <= bulletBytes {
		return line
	}
	end := bulletBytes
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}
