package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// watchesOthers checks that the watch watches the base directory or folders in it, but
// none that it writes itself.
func (w *watch) watchesOthers() {
	w.t.Helper()
	watched := w.inodes()
	if len(watched) == 0 {
		w.t.Error("no folder is watched")
	}
	for _, pattern := range []string{"*maps", "*output"} {
		dirs, _ := filepath.Glob(filepath.Join(w.base, pattern))
		if len(dirs) == 0 {
			w.t.Errorf("there is no folder %s", pattern)
		}
		for _, dir := range dirs {
			_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.IsDir() {
					return err
				}
				if info, err := os.Stat(path); err == nil && watched[info.Sys().(*syscall.Stat_t).Ino] {
					w.t.Errorf("%s is watched", path)
				}
				return nil
			})
		}
	}
}

// inodes returns the inodes of the folders that the process watches (inotify(7),
// proc_pid_fdinfo(5)).
func (w *watch) inodes() map[uint64]bool {
	all := make(map[uint64]bool)
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", w.cmd.Process.Pid))
	for _, path := range paths {
		data, _ := os.ReadFile(path) // a file that is closed meanwhile is gone
		for line := range strings.Lines(string(data)) {
			var wd, ino uint64
			if n, _ := fmt.Sscanf(line, "inotify wd:%x ino:%x", &wd, &ino); n == 2 {
				all[ino] = true
			}
		}
	}
	return all
}
