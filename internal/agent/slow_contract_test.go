package agent_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// rule is one member of the contract in the slow half.
type rule struct {
	name     string
	required bool
	canon    func(v any) (text string, ok bool)
}

// slowRules lists the members of each tag in canonical order. The rules of a
// content refer to the map, which is why it is not set here.
var slowRules map[string][]rule

func init() {
	slowRules = map[string][]rule{
		"user": {{"content", true, slowContent}, {"timestamp", true, slowTime}},
		"assistant": {
			{"content", true, slowContent}, {"stop_reason", true, slowQuoted}, {"native_stop_reason", false, orNull(slowQuoted)},
			{"error_message", false, orNull(slowQuoted)}, {"error_kind", false, orNull(slowQuoted)},
			{"warnings", false, orNull(slowTexts)}, {"usage", false, orNull(slowUsage)},
			{"model", true, slowQuoted}, {"provider", true, slowQuoted}, {"timestamp", true, slowTime},
		},
		"function_result": {
			{"function_call_id", true, slowQuoted}, {"function_id", true, slowQuoted}, {"content", true, slowContent},
			{"details", false, slowAny}, {"is_error", false, slowBool}, {"timestamp", true, slowTime},
		},
		"custom": {
			{"custom_type", true, slowQuoted}, {"content", true, slowContent}, {"display", false, orNull(slowQuoted)},
			{"details", false, orNull(slowAny)}, {"timestamp", true, slowTime},
		},
		"block text":          {{"text", true, slowQuoted}},
		"block image":         {{"mime", true, slowQuoted}, {"data", true, slowQuoted}},
		"block thinking":      {{"text", true, slowQuoted}, {"signature", false, orNull(slowQuoted)}},
		"block function_call": {{"id", true, slowQuoted}, {"function_id", true, slowQuoted}, {"arguments", false, slowAny}},
		"block function_result": {
			{"function_call_id", true, slowQuoted}, {"content", true, slowContent}, {"is_error", false, orNull(slowBool)},
		},
	}
}

// absent is what a member that is not there stands for, where that is not
// nothing.
var absent = map[string]any{
	"function_result details": nil, "function_result is_error": false, "block function_call arguments": nil,
}

// nothing is the text of an optional member that is null: it is left out.
const nothing = ""

func orNull(canon func(any) (string, bool)) func(any) (string, bool) {
	return func(v any) (string, bool) {
		if v == nil {
			return nothing, true
		}
		return canon(v)
	}
}

func slowAny(v any) (string, bool) { return slowCompact(v), true }

func slowQuoted(v any) (string, bool) {
	s, ok := v.(string)
	return slowString(s), ok
}

func slowBool(v any) (string, bool) {
	b, ok := v.(bool)
	return fmt.Sprint(b), ok
}

func slowTexts(v any) (string, bool) {
	list, ok := v.([]any)
	for _, e := range list {
		if _, text := e.(string); !text {
			return "", false
		}
	}
	return slowCompact(v), ok
}

func slowTime(v any) (string, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return "", false
	}
	i, ok := slowInteger(n)
	if !ok || !i.IsInt64() {
		return "", false
	}
	return i.String(), true
}

func slowUsage(v any) (string, bool) {
	o, ok := v.(object)
	known := []string{"cache_read", "cache_write", "cost_usd", "input", "output", "reasoning"}
	if !ok || o.twice(known...) {
		return "", false
	}
	out := object{}
	for _, name := range known {
		v, _ := o.get(name)
		if v == nil {
			continue
		}
		n, ok := v.(json.Number)
		if !ok {
			return "", false
		}
		text, ok := slowCount(n)
		if name == "cost_usd" {
			text, ok = slowCost(n)
		}
		if !ok {
			return "", false
		}
		out = append(out, field{name, printed(text)})
	}
	return slowObject(out), true
}

func slowCount(n json.Number) (string, bool) {
	i, ok := slowInteger(n)
	if !ok || !i.IsUint64() {
		return "", false
	}
	return i.String(), true
}

// slowCost prints a typed float: with .0 when it is whole and of a size that
// is written in digits, else as it is spelled.
func slowCost(n json.Number) (string, bool) {
	f, err := n.Float64()
	if err != nil {
		return "", false
	}
	if whole, acc := big.NewFloat(f).Int(nil); acc == big.Exact && math.Abs(f) < 1e16 {
		sign := ""
		if math.Signbit(f) && whole.Sign() == 0 {
			sign = "-"
		}
		return sign + whole.String() + ".0", true
	}
	return n.String(), true
}

func slowContent(v any) (string, bool) {
	list, ok := v.([]any)
	if !ok {
		return "", false
	}
	parts := make([]string, len(list))
	for i, e := range list {
		if parts[i], ok = slowBlock(e); !ok {
			return "", false
		}
	}
	return "[" + strings.Join(parts, ",") + "]", true
}

func slowBlock(v any) (string, bool) {
	o, ok := v.(object)
	if !ok || o.twice() {
		return "", false
	}
	tag, _ := o.get("type")
	name, ok := tag.(string)
	if !ok {
		return "", false
	}
	if _, known := slowRules["block "+name]; !known {
		return slowCompact(o), true
	}
	return slowTagged(o, "type", name, "block "+name)
}

// slowMessage gives the canonical form of a message, or that it is none.
func slowMessage(v any) (string, bool) {
	o, ok := v.(object)
	if !ok || o.twice() {
		return "", false
	}
	tag, _ := o.get("role")
	role, _ := tag.(string)
	if _, known := slowRules[role]; !known || strings.HasPrefix(role, "block ") {
		return "", false
	}
	return slowTagged(o, "role", role, role)
}

func slowTagged(o object, tag, name, rules string) (string, bool) {
	out := object{{tag, name}}
	for _, r := range slowRules[rules] {
		v, ok := o.get(r.name)
		if !ok {
			if r.required {
				return "", false
			}
			standIn, has := absent[rules+" "+r.name]
			if !has {
				continue
			}
			v = standIn
		}
		text, ok := r.canon(v)
		if !ok {
			return "", false
		}
		if text != nothing {
			out = append(out, field{r.name, printed(text)})
		}
	}
	return slowObject(out), true
}

// slowEstimate is the length of the canonical form with a result's details as
// null, unless they are the envelope of a denied call.
func slowEstimate(canonical string, v any) int {
	o := v.(object)
	role, _ := o.get("role")
	details, _ := o.get("details")
	if role != "function_result" || slowDenied(v) {
		return len(canonical)
	}
	return len(canonical) - len(slowCompact(details)) + len("null")
}

// slowDenied reports whether details are the envelope of a denied call.
func slowDenied(v any) bool {
	details, _ := v.(object).get("details")
	envelope, ok := details.(object)
	return ok && envelope.last("status") == "denied"
}

// slowMessages judges a whole text as a list of messages. whole is false for a
// text that is none.
func slowMessages(data []byte) (canonical []string, ok bool) {
	if !slowText(data, 0) {
		return nil, false
	}
	list, ok := slowParse(data).([]any)
	if !ok {
		return nil, false
	}
	for _, m := range list {
		text, ok := slowMessage(m)
		if !ok {
			return nil, false
		}
		canonical = append(canonical, text)
	}
	return canonical, true
}
