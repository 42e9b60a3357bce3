package features_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"context-manager/internal/agent/agenttest"
)

// readHistory reads a table of messages. The first column says what a message
// is, the second what is in it, and a third, if there is one, members to set:
//
//	| user            | text          |
//	| user image      | 400           | base64 characters
//	| assistant       | text          |
//	| call c1 c2      | shell::run    | one message, one call each
//	| result c1       | text          | of the function that was called
//	| result c1 of f  | text          | of function f
//	| result image c1 | 400           |
//	| inline c1       |               | a user message with a result block
//	| custom          | text          |
//	| json            | {"role": …}   |
//
// A text of ~N is N tokens long, in the second column and inside any JSON, and
// "N times X" is X repeated.
func readHistory(table *godog.Table) ([]agenttest.Message, error) {
	functions := map[string]string{}
	var list []agenttest.Message
	for _, row := range table.Rows {
		kind, content := row.Cells[0].Value, row.Cells[1].Value
		m, err := readMessage(strings.Fields(kind), content, functions)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", kind, err)
		}
		if len(row.Cells) > 2 && row.Cells[2].Value != "" {
			members, err := object(row.Cells[2].Value)
			if err != nil {
				return nil, err
			}
			for name, value := range members {
				m = m.With(name, value)
			}
		}
		list = append(list, m)
	}
	return list, nil
}

func readMessage(kind []string, content string, functions map[string]string) (agenttest.Message, error) {
	function := ""
	if n := len(kind) - 2; n > 0 && kind[n] == "of" {
		kind, function = kind[:n], kind[n+1]
	}
	if function == "" && kind[0] == "result" {
		if function = functions[kind[len(kind)-1]]; function == "" {
			function = "shell::run"
		}
	}
	switch strings.Join(kind[:min(len(kind), 2)], " ") {
	case "user":
		return agenttest.User(text(content)), nil
	case "user image":
		n, err := strconv.Atoi(content)
		return agenttest.UserBlocks(agenttest.Image(n)), err
	case "result image":
		n, err := strconv.Atoi(content)
		return agenttest.ResultBlocks(kind[len(kind)-1], function, agenttest.Image(n)), err
	case "assistant":
		return agenttest.Assistant(text(content)), nil
	case "custom":
		return agenttest.Custom("ui_marker", text(content)), nil
	case "json":
		m, err := object(content)
		return m, err
	}
	if len(kind) < 2 {
		return nil, fmt.Errorf("there is no such message")
	}
	switch kind[0] {
	case "call":
		var blocks []agenttest.Block
		for _, id := range kind[1:] {
			functions[id] = content
			blocks = append(blocks, agenttest.CallBlock(id, content))
		}
		return agenttest.AssistantBlocks(blocks...), nil
	case "result":
		return agenttest.Result(kind[1], function, text(content)), nil
	case "inline":
		if content == "" {
			return agenttest.InlineResult(kind[1]), nil
		}
		return agenttest.UserBlocks(agenttest.ResultBlock(kind[1], text(content))), nil
	}
	return nil, fmt.Errorf("there is no such message")
}

// text is what a cell stands for.
func text(cell string) string {
	if digits, ok := strings.CutPrefix(cell, "~"); ok {
		if n, err := strconv.Atoi(digits); err == nil {
			return agenttest.Tokens(n)
		}
	}
	if digits, unit, ok := strings.Cut(cell, " times "); ok {
		if n, err := strconv.Atoi(digits); err == nil {
			return strings.Repeat(unit, n)
		}
	}
	return cell
}

// object reads a JSON object of a scenario.
func object(source string) (map[string]any, error) {
	value, err := decode([]byte(source))
	if err != nil {
		return nil, err
	}
	out, ok := expand(value).(map[string]any)
	if !ok {
		return nil, fmt.Errorf("got %s, want an object", source)
	}
	return out, nil
}

// expand puts texts where a JSON value only says how long they are.
func expand(v any) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case []any:
		for i := range v {
			v[i] = expand(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = expand(v[name])
		}
	}
	return v
}
