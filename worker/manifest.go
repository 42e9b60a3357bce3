package worker

import (
	"encoding/json"

	"context-manager/config"
)

// Manifest describes the worker to tools that look at a binary without
// starting it. It is the object that --manifest prints.
type Manifest struct {
	Name          string          `json:"name"`
	Version       string          `json:"version"`
	Description   string          `json:"description"`
	DefaultConfig config.Settings `json:"default_config"`
	// SupportedTargets holds the target this binary was built for, as a Rust
	// triple, which is how the registry names targets.
	SupportedTargets []string `json:"supported_targets"`
}

// ManifestJSON returns the manifest of a binary built for goos and goarch.
func ManifestJSON(goos, goarch string) ([]byte, error) {
	return json.MarshalIndent(Manifest{
		Name: Name, Version: Version, Description: Description,
		DefaultConfig:    config.Default(),
		SupportedTargets: []string{triple(goos, goarch)},
	}, "", "  ")
}

func triple(goos, goarch string) string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "arm": "armv7"}[goarch]
	if arch == "" {
		arch = goarch
	}
	switch goos {
	case "darwin":
		return arch + "-apple-darwin"
	case "windows":
		return arch + "-pc-windows-msvc"
	case "linux":
		if goarch == "arm" {
			return arch + "-unknown-linux-gnueabihf"
		}
		return arch + "-unknown-linux-gnu"
	}
	return arch + "-unknown-" + goos
}
