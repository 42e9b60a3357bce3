package main

import (
	"fmt"
	"slices"
	"strings"
)

// call is one function call of the agent.
type call struct {
	function  string
	arguments object
	do        func(w *workspace) (outcome, error)
}

// outcome is what a function returned.
type outcome struct {
	text    string
	details object
	failed  bool
}

// shell runs a command that ends well.
func shell(line string) call { return shellEnding(line, 0) }

// shellFailing runs a command that ends with exit code 1.
func shellFailing(line string) call { return shellEnding(line, 1) }

func shellEnding(line string, want int) call {
	return call{"shell::run", object{"command": line, "cwd": "/repo"}, func(w *workspace) (outcome, error) {
		text, exit, err := w.command(line)
		if err == nil && exit != want {
			err = fmt.Errorf("%q ended with %d, the story says %d:\n%s", line, exit, want, text)
		}
		return outcome{text, object{"exit_code": exit}, exit != 0}, err
	}}
}

// read returns a whole file.
func read(name string) call {
	return call{"coder::read", object{"path": name}, func(w *workspace) (outcome, error) {
		text, err := w.read(name)
		return outcome{text: text, details: object{"lines": strings.Count(text, "\n")}}, err
	}}
}

// search looks for an extended regular expression below a path.
func search(pattern, path string) call {
	return call{"coder::search", object{"pattern": pattern, "path": path}, func(w *workspace) (outcome, error) {
		text, exit, err := w.command("grep -rHnE -- " + quote(pattern) + " " + quote(path))
		if err == nil && exit > 1 {
			err = fmt.Errorf("searching for %q in %s: %s", pattern, path, text)
		}
		return outcome{text: byFile(text), details: object{"matches": strings.Count(text, "\n")}}, err
	}}
}

// byFile sorts the matches of a search by file, because grep takes the files in
// the order in which the directory happens to hold them.
func byFile(matches string) string {
	lines := slices.Collect(strings.Lines(matches))
	slices.SortStableFunc(lines, func(a, b string) int {
		a, _, _ = strings.Cut(a, ":")
		b, _, _ = strings.Cut(b, ":")
		return strings.Compare(a, b)
	})
	return strings.Join(lines, "")
}

// edit replaces the one occurrence of old in a file.
func edit(name, old, text string) call {
	return call{"coder::edit", object{"path": name, "old": old, "new": text}, func(w *workspace) (outcome, error) {
		return outcome{text: "1 replacement in " + name, details: object{"replacements": 1}}, w.edit(name, old, text)
	}}
}

// create writes a new file.
func create(name, text string) call {
	return call{"coder::create", object{"path": name, "content": text}, func(w *workspace) (outcome, error) {
		return outcome{text: fmt.Sprintf("%d bytes written to %s", len(text), name), details: object{"bytes": len(text)}}, w.write(name, text)
	}}
}

// quote makes one word of shell of any text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
