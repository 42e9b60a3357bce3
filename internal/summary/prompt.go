package summary

import (
	_ "embed"
	"strings"
)

// FramingTokens is what a provider may add around the two prompts of a call, in
// tokens: roles and separators that are in neither text.
const FramingTokens = 64

// maxInstructions is how much of the caller's guidance is used, in characters.
const maxInstructions = 2000

var (
	//go:embed prompts/create.md
	createText string
	//go:embed prompts/update.md
	updateText string
	//go:embed prompts/template.md
	templateText string
	//go:embed prompts/guidance.md
	guidanceText string
	//go:embed prompts/fragment.md
	fragmentText string
	//go:embed prompts/user.md
	userText string
)

// PromptOptions say what kind of summary is wanted. The zero value asks for a
// new summary of a whole history.
type PromptOptions struct {
	// Previous is the summary to update; a blank one asks for a new summary.
	Previous string
	// Instructions is the caller's guidance for this one summary. It is trimmed
	// and cut at 2,000 characters; blank means none.
	Instructions string
	// Fragment says that the call sees only a part of the history.
	Fragment bool
}

// SystemPrompt returns the instructions of a summary call: what to do and with
// which summary, the structure to fill in, the caller's guidance, and the notice
// that only a part is seen.
func SystemPrompt(o PromptOptions) string {
	var dst []byte
	if Blank(o.Previous) {
		dst = appendText(dst, createText)
	} else {
		dst = appendText(dst, updateText)
		dst = append(dst, "\n\n"...)
		dst = fence(dst, tagPrevious, []byte(o.Previous))
	}
	dst = append(dst, "\n\n"...)
	dst = appendText(dst, templateText)
	if guidance := strings.TrimSpace(o.Instructions); guidance != "" {
		dst = append(dst, "\n\n"...)
		dst = appendText(dst, guidanceText)
		dst = append(dst, "\n\n"...)
		dst = fence(dst, tagInstructions, []byte(firstRunes(guidance, maxInstructions)))
	}
	if o.Fragment {
		dst = append(dst, "\n\n"...)
		dst = appendText(dst, fragmentText)
	}
	return string(dst)
}

// UserPrompt returns the user message of a summary call. The body is what
// [Render] made, or a part of it that starts and ends on character boundaries.
func UserPrompt(body []byte) string {
	var b strings.Builder
	b.Grow(len(body) + UserPromptOverhead())
	b.Write(openUserPrompt(nil))
	b.Write(body) // escaped already
	b.Write(closeFence(nil, tagConversation))
	return b.String()
}

// UserPromptOverhead returns the bytes UserPrompt adds to a body.
func UserPromptOverhead() int { return userPromptOverhead }

var userPromptOverhead = len(closeFence(openUserPrompt(nil), tagConversation))

func openUserPrompt(dst []byte) []byte {
	dst = appendText(dst, userText)
	dst = append(dst, "\n\n"...)
	return openFence(dst, tagConversation)
}

// appendText appends an embedded text without the newline its file ends with.
func appendText(dst []byte, text string) []byte {
	return append(dst, strings.TrimSpace(text)...)
}
