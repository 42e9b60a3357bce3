// Package bpe counts the tokens of texts in the published byte pair encodings
// of OpenAI's models, offline and exactly.
//
// A text goes through two steps. The splitter cuts it into pieces, a word with
// the space before it for instance, by the encoding's published regular
// expression, which is written out by hand here. A piece that is a token of
// the vocabulary counts one. Any other is merged: starting from single bytes,
// the two neighbours that together are the token of lowest rank are joined,
// the leftmost first, until no two neighbours are a token.
//
// The classes of characters are those of Unicode 16.0, pinned in a generated
// table, since they decide where pieces end and the toolchain's own tables
// change from release to release. No step is worse than linear in the length
// of the text (see windows), and nothing is allocated once the working memory
// of earlier texts can be used again.
package bpe
