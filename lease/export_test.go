package lease

// What the external tests may see of the inside.
var (
	ClaimName  = claimName
	ParseClaim = parseClaim
)

// Flushing returns options with another way to flush a directory.
func Flushing(o Options, flush func(dir string) error) Options {
	o.flush = flush
	return o
}

// StripeOf names the stripe of a key as its lock file does.
func StripeOf(key string) string { return stripeOf(key).String() }

// StripeOfName finds a stripe from the name of a claim file.
func StripeOfName(name string) (string, bool) {
	at, ok := claimStripe(name)
	return at.String(), ok
}
