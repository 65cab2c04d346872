package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

// mapUse is the annotation of commands that need maps of the base directory.
const mapUse = "maps"

var (
	// A command that reads maps, and has little to say without any.
	anyMaps = map[string]string{mapUse: "any"}
	// A command that also works on files; without maps it may not find what is named.
	someMaps = map[string]string{mapUse: "some"}
)

// hintAtMaps tells a person whose command found no maps of the nearest folder above
// that has some. The error is that of the command.
func (s *session) hintAtMaps(err error) {
	var usage *usageError
	switch {
	case s.ran == nil, s.json, errors.As(err, &usage), errors.Is(err, context.Canceled), errors.Is(err, errStopped):
	case s.ran.Annotations[mapUse] == "any", s.ran.Annotations[mapUse] == "some" && errors.Is(err, fs.ErrNotExist):
		if above, flag := s.mapsAbove(); above != "" {
			s.warn(fmt.Sprintf("%s has maps, of files here too perhaps: %s uses them", above, flag))
		}
	}
}

// mapsAbove returns the nearest folder above the base directory that has maps, and
// the flag that makes it the base directory. It returns "" if there is none, or if
// the base directory has maps of its own.
func (s *session) mapsAbove() (dir, flag string) {
	base, err := filepath.Abs(s.dir)
	if err != nil || s.storeURL != "" || s.mapsDir != "" || holdsMaps(base) {
		return "", ""
	}
	for dir, up := filepath.Dir(base), ".."; dir != base; base, dir, up = dir, filepath.Dir(dir), filepath.Join(up, "..") {
		if holdsMaps(dir) {
			return dir, "--dir " + shellWord(filepath.Join(s.dir, up))
		}
	}
	return "", ""
}

// holdsMaps reports whether a folder is a base directory with maps.
func holdsMaps(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(dir, ".resource_maps"))
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".json" })
}

// warnOfMapsAbove warns that a folder above has maps of the files that were mapped.
// It is called after the first maps of the base directory were made.
func (in *ingestion) warnOfMapsAbove(ctx context.Context, above, flag string, items []ingest.Item) {
	const most = 8 // items that are looked up
	above = resolveLinks(above)
	s := session{globalFlags: globalFlags{dir: above}, stderr: in.stderr}
	ws, err := s.workspace(nil)
	if err != nil {
		return
	}
	lib := citekit.New(ws, nil, nil)
	defer lib.Close()
	tried := 0
	for _, item := range items {
		name, err := filepath.Rel(above, resolveLinks(in.absolute(item.Path)))
		if item.Status != ingest.Mapped && item.Status != ingest.Copied || err != nil || !filepath.IsLocal(name) {
			continue
		}
		if tried++; tried > most {
			return
		}
		ids, err := ingest.ResourcesOf(ctx, lib, filepath.ToSlash(name))
		if err == nil && len(ids) > 0 {
			in.warn(fmt.Sprintf("warning: %s has maps of files here already, such as %s as %s: %s uses them; the maps made now are others, with ids of their own",
				above, filepath.ToSlash(name), ids[0], flag))
			return
		}
	}
}

// shellWord returns a path as a word of a command line.
func shellWord(name string) string {
	if !strings.ContainsAny(name, " \t'\"\\$&;|<>()*?[]#~`!") || runtime.GOOS == "windows" && !strings.ContainsAny(name, " &()") {
		return name
	}
	if runtime.GOOS == "windows" {
		return `"` + name + `"`
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
