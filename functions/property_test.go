package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"context-manager/config"
	"context-manager/functions"
	"context-manager/internal/agent/agenttest"
)

// runs is how many cases each property sees; PROPERTY_RUNS asks for more.
func runs(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("PROPERTY_RUNS"))
	if err != nil || n < 1 {
		return 5000
	}
	t.Logf("PROPERTY_RUNS=%d", n)
	return n
}

// seed is printed so that a failure can be had again: PROPERTY_SEED.
func seed(t *testing.T) uint64 {
	s, err := strconv.ParseUint(os.Getenv("PROPERTY_SEED"), 10, 64)
	if err != nil {
		s = rand.Uint64()
	}
	t.Logf("PROPERTY_SEED=%d", s)
	return s
}

// assembleAnswer is what the properties look at.
type assembleAnswer struct {
	SystemPrompt string            `json:"system_prompt"`
	Messages     []json.RawMessage `json:"messages"`
	TokenCount   uint64            `json:"token_count"`
	Usable       uint64            `json:"usable"`
	Applied      struct {
		Compacted bool   `json:"compacted"`
		Summary   string `json:"summary"`
		Tail      *int   `json:"tail_start_index"`
		Warnings  []struct {
			Code  string `json:"code"`
			Index int    `json:"index"`
		} `json:"warnings"`
	} `json:"applied"`
}

// situation is one case: a history, settings, a request and a summariser.
type situation struct {
	story    *story
	set      config.Settings
	request  agenttest.Object
	messages []json.RawMessage
	writer   *moodyWriter
	service  *functions.Service
}

// newSituation makes the i-th case of a run.
func newSituation(r *rand.Rand, i int) *situation {
	c := &situation{story: newStory(r, i), set: config.Default(), writer: newMoodyWriter(r)}
	if r.IntN(3) > 0 { // thresholds small enough to matter here
		c.set.ProtectRecentTokens = uint64(max(0, r.IntN(5)-2) * 250)
		c.set.MinFreeTokens = uint64(max(0, r.IntN(5)-3) * 200)
		c.set.MaxOutputChars = uint64(r.IntN(120))
	}
	if i%5 == 4 { // nothing is too recent or too little to prune
		c.set.ProtectRecentTokens, c.set.MinFreeTokens = 0, 0
	}
	if c.writer.mood == moodLate {
		c.set.SummarizerTimeoutMS = 1
	}
	c.service = functions.New(functions.Options{
		Settings: func() *config.Settings { return &c.set }, Summarizer: c.writer, Leases: &memoryLeases{},
	})
	for _, m := range agenttest.Stamp(c.story.list...) {
		c.messages = append(c.messages, agenttest.JSON(m))
	}
	c.request = agenttest.Object{"messages": c.messages, "system_prompt": strings.Repeat("be good ", r.IntN(20))}
	if r.IntN(3) == 0 {
		c.request["tools"] = []any{agenttest.AgentTrigger()}
	}
	options := agenttest.Object{"reserved_tokens": 0, "tail_turns": r.IntN(4)}
	if r.IntN(4) == 0 {
		options["allow_prune"] = false
	}
	if r.IntN(4) == 0 {
		options["allow_compaction"] = false
	}
	if r.IntN(4) == 0 {
		options["protected_functions"] = []string{"shell::run"}
	}
	if r.IntN(4) == 0 {
		options["previous_summary"] = "## Goal\n- " + strings.Repeat("old ", r.IntN(40))
	}
	if r.IntN(4) == 0 {
		options["request_overhead_tokens"] = r.IntN(60)
	}
	c.request["options"] = options
	c.squeeze(r)
	return c
}

// squeeze sets the budget in proportion to what the history takes.
func (c *situation) squeeze(r *rand.Rand) {
	c.request["model"] = agenttest.Inline("m", 1<<40, 0)
	total := max(c.count(c.request), 1)
	factor := []struct {
		class string
		over  float64
	}{{"fits", 0.9}, {"over x1.01", 1.01}, {"over x1.01", 1.05}, {"over x2", 2}, {"over x2", 1.3}, {"over x50", 50}}[r.IntN(6)]
	c.story.classes[factor.class] = true
	c.request["model"] = agenttest.Inline("m", uint64(float64(total)/factor.over), 0)
}

// count asks count-tokens what a request takes, the overhead left out.
func (c *situation) count(request agenttest.Object) uint64 {
	only := agenttest.Object{}
	for _, k := range []string{"messages", "system_prompt", "tools", "model"} {
		if v, ok := request[k]; ok {
			only[k] = v
		}
	}
	raw, err := invoke(c.service, "context::count-tokens", only)
	if err != nil {
		panic(err)
	}
	var answer struct{ Tokens uint64 }
	if err := json.Unmarshal(raw, &answer); err != nil {
		panic(err)
	}
	return answer.Tokens
}

func invoke(s *functions.Service, id string, request agenttest.Object) ([]byte, error) {
	spec, ok := functions.Find(id)
	if !ok {
		return nil, fmt.Errorf("no function %s", id)
	}
	return spec.Invoke(context.Background(), s, agenttest.JSON(request), 0, nil)
}

func TestPropertyAssembleKeepsItsPromises(t *testing.T) {
	t.Parallel()
	n, s := runs(t), seed(t)
	seen := map[string]int{}
	for i := range n {
		c := newSituation(rand.New(rand.NewPCG(s, uint64(i))), i)
		if err := c.assemble(); err != nil {
			t.Fatalf("case %d of seed %d: %v\nrequest: %.3000s", i, s, err, agenttest.JSON(c.request))
		}
		for class := range c.story.classes {
			seen[class]++
		}
	}
	t.Logf("%v", seen)
	enough(t, seen, n, classes)
}

// enough fails when a class is so rare that the property says nothing of it.
func enough(t *testing.T, seen map[string]int, n int, classes []string) {
	t.Helper()
	for _, class := range classes {
		if seen[class]*100 < n {
			t.Errorf("class %q: %d of %d cases, want at least one per cent", class, seen[class], n)
		}
	}
}

func (c *situation) assemble() error {
	raw, err := invoke(c.service, "context::assemble", c.request)
	if err != nil {
		return c.refused(err)
	}
	var got assembleAnswer
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	if err := c.fits(&got); err != nil {
		return err
	}
	from := 0
	c.story.classes["answered"] = true
	if strings.Contains(string(raw), "function_result_reference") {
		c.story.classes["reduced"] = true
	}
	if strings.Contains(string(raw), "[output pruned: was ~") {
		c.story.classes["pruned"] = true
	}
	if got.Applied.Compacted {
		c.story.classes["compacted"] = true
		if got.Applied.Tail == nil {
			return errors.New("compacted without a tail_start_index")
		}
		from = *got.Applied.Tail
	}
	if want := c.prompt(&got); got.SystemPrompt != want {
		return fmt.Errorf("system prompt %.200q, want %.200q", got.SystemPrompt, want)
	}
	if err := kept(c.messages, got.Messages, from, false); err != nil {
		return err
	}
	found, loose := pairs(c.messages)
	for _, p := range found {
		if p.call < from && p.answer >= from {
			return fmt.Errorf("the cut at %d parts the call in %d from its answer in %d", from, p.call, p.answer)
		}
	}
	var named []string
	for _, w := range got.Applied.Warnings {
		named = append(named, fmt.Sprint(w.Index, " ", w.Code))
	}
	if !slices.Equal(named, loose) {
		return fmt.Errorf("warnings %v, want %v", named, loose)
	}
	if err := c.writer.judge(got.Applied.Compacted, got.Applied.Summary); err != nil {
		return err
	}
	return c.again(raw, &got)
}

// fits checks the budget against a count of what really came back.
func (c *situation) fits(got *assembleAnswer) error {
	recount := c.count(agenttest.Object{
		"messages": got.Messages, "system_prompt": got.SystemPrompt, "tools": c.request["tools"], "model": c.request["model"],
	})
	if o, ok := c.option("request_overhead_tokens").(int); ok {
		recount += uint64(o)
	}
	if got.TokenCount != recount {
		return fmt.Errorf("token_count %d, but what came back counts %d", got.TokenCount, recount)
	}
	if got.TokenCount > got.Usable {
		return fmt.Errorf("token_count %d is above usable %d", got.TokenCount, got.Usable)
	}
	real := slices.ContainsFunc(c.messages, func(m json.RawMessage) bool { return read(m).Role != "custom" })
	if real && len(got.Messages) == 0 {
		return errors.New("no message came back")
	}
	return nil
}

// again checks that the same request gives the same bytes, and that the answer
// assembled again is itself, without another summary.
func (c *situation) again(raw []byte, got *assembleAnswer) error {
	c.writer.rewind()
	twice, err := invoke(c.service, "context::assemble", c.request)
	if err != nil {
		return fmt.Errorf("the same request failed the second time: %w", err)
	}
	if string(twice) != string(raw) {
		return errors.New("the same request gave other bytes")
	}
	next := agenttest.Object{}
	for k, v := range c.request {
		next[k] = v
	}
	next["messages"] = got.Messages
	if got.Applied.Compacted {
		options := agenttest.Object{"previous_summary": got.Applied.Summary}
		for k, v := range c.request["options"].(agenttest.Object) {
			if k != "previous_summary" {
				options[k] = v
			}
		}
		next["options"] = options
	}
	before := c.writer.calls
	raw, err = invoke(c.service, "context::assemble", next)
	if err != nil {
		return fmt.Errorf("assembling the answer again: %w", err)
	}
	var second assembleAnswer
	if err := json.Unmarshal(raw, &second); err != nil {
		return err
	}
	if c.writer.calls != before {
		return errors.New("assembling the answer again asked for a summary")
	}
	return kept(got.Messages, second.Messages, 0, true)
}

// refused checks that the only failure is an overflow, and only where the
// reducible part could not have helped.
func (c *situation) refused(err error) error {
	c.story.classes["overflow"] = true
	if !strings.HasPrefix(err.Error(), "context/overflow: assembled context requires ") {
		return fmt.Errorf("failed with %w, want context/overflow", err)
	}
	if len(err.Error()) > 2048 {
		return fmt.Errorf("an overflow of %d bytes, want at most 2048", len(err.Error()))
	}
	if !strings.Contains(err.Error(), "tried: prune ") {
		return fmt.Errorf("an overflow that does not say what was tried: %w", err)
	}
	n, least := c.floor()
	if n <= c.usable() {
		return fmt.Errorf("overflow, although references would bring it to %d of %d", n, c.usable())
	}
	if least > c.usable() && c.writer.calls > 0 {
		return fmt.Errorf("%d summariser calls, although even the newest message takes %d of %d", c.writer.calls, least, c.usable())
	}
	return nil
}

func (c *situation) option(name string) any { return c.request["options"].(agenttest.Object)[name] }

func (c *situation) usable() uint64 {
	return c.request["model"].(agenttest.Object)["limits"].(agenttest.Object)["context_window"].(uint64)
}

// prompt is the system prompt that belongs to an answer: the base without white
// space at its end, then the newest summary under its heading.
func (c *situation) prompt(got *assembleAnswer) string {
	out := strings.TrimRight(c.request["system_prompt"].(string), " ")
	text, _ := c.option("previous_summary").(string)
	if got.Applied.Compacted {
		text = got.Applied.Summary
	}
	if text == "" {
		return out
	}
	if out != "" {
		out += "\n\n"
	}
	return out + "# Conversation summary\n\n" + text
}

// floor is what the request takes when every result is as small as it gets, and
// what would be left of it if all but the newest message were summarised away.
func (c *situation) floor() (all, least uint64) {
	kept := []json.RawMessage{}
	for _, m := range c.messages {
		if read(m).Role != "custom" {
			kept = append(kept, m)
		}
	}
	fixed := func(prompt string) uint64 {
		sum := c.count(agenttest.Object{"messages": []any{}, "tools": c.request["tools"], "model": c.request["model"], "system_prompt": prompt})
		if o, ok := c.option("request_overhead_tokens").(int); ok {
			sum += uint64(o)
		}
		return sum
	}
	all = fixed(c.prompt(&assembleAnswer{}))
	least = fixed(strings.TrimRight(c.request["system_prompt"].(string), " "))
	v := viewOf(kept)
	for i := range v.Len() {
		all += v.Floor(i)
	}
	if v.Len() > 0 {
		least += v.Floor(v.Len() - 1)
	}
	return all, least
}
