package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ExpandHome replaces a leading ~ or ~/ of a path by the home directory. Other
// users' homes (~name) are not known. The result is clean and absolute, else
// there is an error.
func ExpandHome(path string) (string, error) { return expandHome(path, os.UserHomeDir) }

func expandHome(path string, home func() (string, error)) (string, error) {
	expanded := path
	if rest, ok := underHome(path); ok {
		dir, err := home()
		if err != nil {
			return "", fmt.Errorf("expanding %s: %w", path, err)
		}
		expanded = filepath.Join(dir, rest)
	}
	if !filepath.IsAbs(expanded) {
		return "", fmt.Errorf("expanding %q: %q is not an absolute path", path, expanded)
	}
	return filepath.Clean(expanded), nil
}

// underHome returns what follows the ~ of a path that begins with the home
// directory.
func underHome(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", false
	}
	return rest, true
}
