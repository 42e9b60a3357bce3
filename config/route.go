package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// step is one name that is looked up on the way to a file.
type step struct {
	dir  string // the directory that is asked, free of symbolic links
	name string
}

func (s step) path() string { return filepath.Join(s.dir, s.name) }

// maxLinks is where the kernel gives up too.
const maxLinks = 40

// route lists every lookup from the root of the file system to the file that
// path means now, through symbolic links and what they point to. As long as no
// directory changes one of these names, path means the same file. Where a name
// is missing the route ends with it.
func route(path string) ([]step, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dir, rest := split(path)
	var steps []step
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		next := step{dir, name}
		steps = append(steps, next)
		info, err := os.Lstat(next.path())
		if err != nil {
			break // missing or forbidden: this name decides
		}
		if info.Mode()&os.ModeSymlink == 0 {
			dir = next.path()
			continue
		}
		target, err := os.Readlink(next.path())
		if links++; err != nil || links > maxLinks {
			break
		}
		if filepath.IsAbs(target) {
			var names []string
			dir, names = split(target)
			rest = slices.Concat(names, rest)
		} else {
			rest = slices.Concat(strings.Split(filepath.ToSlash(target), "/"), rest)
		}
	}
	return steps, nil
}

// split parts an absolute path into its root and the names below.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), strings.Split(filepath.ToSlash(path[len(volume):]), "/")
}
