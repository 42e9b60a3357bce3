package lease

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	claimSuffix = ".json"
	tempSuffix  = ".tmp"

	// maxName is the longest file name, in bytes, of the usual file systems.
	maxName = 255

	// hashPrefix starts the name of a key that is too long to be spelled. No
	// spelled key starts so, because there a % is followed by two hex digits.
	hashPrefix = "%sha256-"

	upperHex = "0123456789ABCDEF"
)

// stripe numbers the lock that guards a key.
type stripe byte

func stripeOf(key string) stripe {
	sum := sha256.Sum256([]byte(key))
	return stripe(sum[0])
}

func (s stripe) String() string { return hex.EncodeToString([]byte{byte(s)}) }

// claimName is the file name of a key: every byte outside A-Z a-z 0-9 . _ - is
// spelled %XX, and a key whose spelling would exceed a file name is hashed. The
// suffix keeps "." and ".." from being directories.
func claimName(key string) string {
	var b strings.Builder
	for i := range len(key) {
		if c := key[i]; isPlain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		}
		if b.Len() > maxName-len(claimSuffix) {
			sum := sha256.Sum256([]byte(key))
			return hashPrefix + hex.EncodeToString(sum[:]) + claimSuffix
		}
	}
	b.WriteString(claimSuffix)
	return b.String()
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '.' || c == '_' || c == '-'
}

// claimStripe finds the lock of a claim from its file name alone. It is false
// for names that claimName does not make, which are somebody else's files.
func claimStripe(name string) (stripe, bool) {
	spelled, ok := strings.CutSuffix(name, claimSuffix)
	if !ok {
		return 0, false
	}
	if digest, ok := strings.CutPrefix(spelled, hashPrefix); ok {
		sum, err := hex.DecodeString(digest)
		if err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != digest {
			return 0, false
		}
		return stripe(sum[0]), true
	}
	key, ok := spell(spelled)
	if !ok || claimName(key) != name {
		return 0, false
	}
	return stripeOf(key), true
}

// spell undoes the %XX of claimName. It does not check that the spelling is
// the one that claimName chooses.
func spell(s string) (key string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := hex.DecodeString(s[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.Write(c)
		i += 2
	}
	return b.String(), true
}

// tempName names a claim while it is written. It carries the stripe and not
// the key: temporary files are written under the stripe's lock, so whoever
// holds that lock knows that one it finds was left by the dead.
func tempName(s stripe, random string) string {
	return "." + s.String() + "." + random + tempSuffix
}

func tempStripe(name string) (stripe, bool) {
	s, ok := strings.CutSuffix(name, tempSuffix)
	if !ok || len(s) < 4 || s[0] != '.' || s[3] != '.' {
		return 0, false
	}
	b, err := hex.DecodeString(s[1:3])
	if err != nil || stripe(b[0]).String() != s[1:3] {
		return 0, false
	}
	return stripe(b[0]), true
}
