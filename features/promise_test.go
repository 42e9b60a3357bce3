package features_test

import (
	"encoding/json"
	"fmt"
)

// promised checks what holds of every answer, whatever the scenario is about.
func (w *world) promised(id string, value any) error {
	answer, _ := value.(map[string]any)
	switch id {
	case "context::compact":
		w.compaction = true
		return nil
	case "context::assemble":
		applied, _ := answer["applied"].(map[string]any)
		if applied["compacted"] == true || applied["compaction_skipped"] != nil {
			w.compaction = true
		}
		if ok, err := compare(answer["token_count"], "<=", fmt.Sprint(answer["usable"])); !ok || err != nil {
			return fmt.Errorf("got token_count %v above usable %v (%v)", answer["token_count"], answer["usable"], err)
		}
		if err := sums(answer, w.overhead()); err != nil {
			return err
		}
	case "context::prune":
	default:
		return nil
	}
	sent, err := w.messages()
	if err != nil {
		return err
	}
	got, _ := answer["messages"].([]any)
	if len(got) == 0 && hasContext(sent) {
		return fmt.Errorf("got no messages for %d", len(sent))
	}
	return paired(got)
}

// overhead is what the last request says it will add.
func (w *world) overhead() json.Number {
	v, err := decode(w.request)
	if err != nil {
		return "0"
	}
	n, ok, err := lookupPath(v, "options.request_overhead_tokens")
	if number, isNumber := n.(json.Number); ok && err == nil && isNumber {
		return number
	}
	return "0"
}

// sums checks that the parts of a count are the whole.
func sums(answer map[string]any, overhead json.Number) error {
	var sum int64
	add := func(v any) {
		n, _ := v.(json.Number)
		i, _ := n.Int64()
		sum += i
	}
	parts, _ := answer["breakdown"].(map[string]any)
	roles, _ := parts["by_role"].(map[string]any)
	for _, v := range roles {
		add(v)
	}
	add(parts["system_prompt_tokens"])
	add(parts["tools_tokens"])
	add(overhead)
	if fmt.Sprint(answer["token_count"]) != fmt.Sprint(sum) {
		return fmt.Errorf("got token_count %v, and parts that add up to %d", answer["token_count"], sum)
	}
	return nil
}

func hasContext(messages []any) bool {
	for _, v := range messages {
		if m, ok := v.(map[string]any); ok && m["role"] != "custom" {
			return true
		}
	}
	return false
}

// paired checks that no result of an answer has lost its call. Histories with
// orphans of their own say so by ids that begin with "orphan".
func paired(messages []any) error {
	calls := map[string]bool{}
	var walk func(at int, blocks any) error
	answered := func(at int, id any) error {
		name, _ := id.(string)
		if !calls[name] && (len(name) < 6 || name[:6] != "orphan") {
			return fmt.Errorf("got message %d with a result for call %q, which no message before it makes", at, name)
		}
		return nil
	}
	walk = func(at int, blocks any) error {
		list, _ := blocks.([]any)
		for _, v := range list {
			b, _ := v.(map[string]any)
			switch b["type"] {
			case "function_call":
				id, _ := b["id"].(string)
				calls[id] = true
			case "function_result":
				if err := answered(at, b["function_call_id"]); err != nil {
					return err
				}
				if err := walk(at, b["content"]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i, v := range messages {
		m, _ := v.(map[string]any)
		if m["role"] == "function_result" {
			if err := answered(i, m["function_call_id"]); err != nil {
				return err
			}
		}
		if err := walk(i, m["content"]); err != nil {
			return err
		}
	}
	return nil
}
