package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/citekit/citekit/internal/localfile"
)

// outputFolder returns the path of the evidence directory, or "" if the workspace is in
// another store.
func (s *session) outputFolder() string {
	switch {
	case s.storeURL != "":
		return ""
	case s.outputDir == "":
		return filepath.Join(s.dir, ".citekit_output")
	case filepath.IsAbs(s.outputDir):
		return s.outputDir
	}
	return filepath.Join(s.dir, s.outputDir)
}

// traces are what an ingest writes that maps nothing: locks, and why a file failed.
var traces = []string{".", ".lock", ".meta", ".meta/tmp", ".meta/notes", ".meta/notes/ingest.log", ".meta/notes/ingest.lock"}

// removeTraces removes an evidence directory in which there is nothing else. One that
// another process is using stays.
func removeTraces(folder string) {
	only := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		name, outside := filepath.Rel(folder, path)
		if err != nil || outside != nil || !slices.Contains(traces, filepath.ToSlash(name)) || !d.IsDir() && !d.Type().IsRegular() {
			return fs.ErrExist
		}
		return nil
	})
	if only != nil {
		return
	}
	for _, name := range []string{".lock", ".meta/notes/ingest.lock"} {
		if !isFree(filepath.Join(folder, filepath.FromSlash(name))) {
			return
		}
	}
	_ = os.RemoveAll(folder) // what stays does no harm
}

// isFree reports whether no process holds a lock.
func isFree(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return os.IsNotExist(err)
	}
	defer f.Close()
	free, err := localfile.TryLock(f)
	if err != nil || !free {
		return false
	}
	localfile.Unlock(f)
	return true
}
