package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"context-manager/worker"
)

// versionLine is what --version prints; the commit is the one this binary was
// built from, when the toolchain recorded it.
func versionLine() string {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = s.Value[:12]
			}
		}
	}
	return fmt.Sprintf("%s %s (%s, %s, %s/%s)", worker.Name, worker.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
