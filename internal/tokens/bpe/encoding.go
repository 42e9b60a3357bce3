package bpe

// Encoding names a published byte pair encoding. The zero value is no encoding.
type Encoding string

// The public encodings. O200kHarmony adds control tokens to O200kBase, which a
// text never produces, so both count alike and share one vocabulary.
const (
	R50kBase     Encoding = "r50k_base"
	P50kBase     Encoding = "p50k_base"
	CL100kBase   Encoding = "cl100k_base"
	O200kBase    Encoding = "o200k_base"
	O200kHarmony Encoding = "o200k_harmony"
)

// Encodings lists every encoding that Load accepts, oldest first.
func Encodings() []Encoding {
	return []Encoding{R50kBase, P50kBase, CL100kBase, O200kBase, O200kHarmony}
}

// parts returns what an encoding is made of; nil for a name that is none.
func (e Encoding) parts() (*rankFile, splitter) {
	switch e {
	case R50kBase:
		return r50kRanks, splitR50k
	case P50kBase:
		return p50kRanks, splitR50k
	case CL100kBase:
		return cl100kRanks, splitCL100k
	case O200kBase, O200kHarmony:
		return o200kRanks, splitO200k
	}
	return nil, nil
}
