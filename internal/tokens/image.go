package tokens

import "context-manager/internal/tokens/picture"

// UnreadableImage is what an image costs, in tokens, whose size cannot be read
// or whose model has no known formula. It is more than any such model takes
// for a picture of usual size, apart from gpt-4o-mini.
const UnreadableImage = 4096

// ImageTokens returns what a model takes for an image, given as base64 text.
// Only the head of the text is read.
func ImageTokens(model string, data []byte) uint64 {
	return imageRuleFor(plainModel(model)).tokens(data)
}

// An imageRule is the published formula of a family of models. The zero value
// is no formula.
type imageRule struct {
	models family

	// Tiles: the picture is made to fit 2048 × 2048, then its short side to be
	// at most 768; each 512 × 512 tile costs tile, the picture base.
	base, tile uint64

	// Patches: the picture is made to fit 1536 patches of 32 × 32, each costs
	// percent/100.
	percent uint64
}

// imageRules is searched from the top; sources are in docs/counting.md.
var imageRules = []imageRule{
	{models: family{name: "gpt-4o-mini", more: versioned}, base: 2833, tile: 5667},
	{models: family{name: "gpt-4o", more: versioned}, base: 85, tile: 170},
	{models: family{name: "chatgpt-4o", more: versioned}, base: 85, tile: 170},
	{models: family{name: "gpt-4.5", more: versioned}, base: 85, tile: 170},
	{models: family{name: "gpt-4.1-mini", more: versioned}, percent: 162},
	{models: family{name: "gpt-4.1-nano", more: versioned}, percent: 246},
	{models: family{name: "gpt-4.1", more: versioned}, base: 85, tile: 170},
	{models: family{name: "gpt-4", more: versioned}, base: 85, tile: 170},
	{models: family{name: "o4-mini", more: versioned}, percent: 172},
	{models: family{name: "o1", more: versioned}, base: 75, tile: 150},
	{models: family{name: "o3", more: versioned}, base: 75, tile: 150},
	{models: family{name: "gpt-5-mini", more: versioned}, percent: 120}, // as billed; the documents say 162
	{models: family{name: "gpt-5-nano", more: versioned}, percent: 150}, // as billed; the documents say 246
	{models: family{name: "gpt-5", more: versioned + "."}, base: 70, tile: 140},
}

// imageRuleFor returns the rule of a bare model name.
func imageRuleFor(name string) imageRule {
	for _, r := range imageRules {
		if r.models.matches(name) {
			return r
		}
	}
	return imageRule{}
}

func (r imageRule) tokens(data []byte) uint64 {
	if r.tile == 0 && r.percent == 0 {
		return UnreadableImage
	}
	w, h, ok := picture.Size(data)
	switch {
	case !ok:
		return UnreadableImage
	case r.percent > 0:
		return (patches(uint64(w), uint64(h))*r.percent + 99) / 100
	}
	return r.base + r.tile*tiles(uint64(w), uint64(h))
}

// tiles returns the tiles of 512 × 512 of a picture. Pictures are made smaller,
// never larger, and sides become whole pixels at each step.
func tiles(w, h uint64) uint64 {
	w, h = fit(w, h, max(w, h), 2048)
	w, h = fit(w, h, min(w, h), 768)
	return (w + 511) / 512 * ((h + 511) / 512)
}

// fit scales both sides by most/side when side is more than most.
func fit(w, h, side, most uint64) (uint64, uint64) {
	if side <= most {
		return w, h
	}
	return max(1, w*most/side), max(1, h*most/side)
}

// claudeImage is Anthropic's formula: pixels/750, at most 1,600 tokens, which
// also is the cost of a picture whose size cannot be read.
func claudeImage(data []byte) uint64 {
	const most, pixels = 1600, 750
	w, h, ok := picture.Size(data)
	if !ok {
		return most
	}
	return min(most, (uint64(w)*uint64(h)+pixels-1)/pixels)
}
