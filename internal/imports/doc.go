// Package imports holds the test that keeps the import directions of this
// repository: who may know whom.
package imports
