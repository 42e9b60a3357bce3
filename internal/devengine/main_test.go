package devengine_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets far more tests run at once than there are processors: most of
// their time they wait for something not to happen.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() == "" { // there it means workers
		if err := flag.Set("test.parallel", "64"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
