package child

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
)

// versions are the versions of programs that were asked, by [versionKey].
var versions struct {
	known  sync.Map // of strings
	flight concurrent.Group[string]
}

// Version returns the version that the program at a path prints when it is run
// with an argument such as "--version": the first word with a digit in its
// first line; "" if it prints none. The error is ctx.Err() once ctx is done, or
// [ErrTimeout] if the program is not done after two minutes.
//
// Starting a program may take seconds. Its version is remembered, also for other
// processes, in the user's folder for caches, while its path, size and time are the
// same; not that of a script, which may start another program tomorrow.
func Version(ctx context.Context, path, argument string) (string, error) {
	key := versionKey(path, argument)
	if key == "" {
		return askVersion(ctx, path, argument)
	}
	if version, ok := versions.known.Load(key); ok {
		return version.(string), nil
	}
	return versions.flight.Do(ctx, key, func(ctx context.Context) (string, error) {
		version := readVersion(key)
		if version == "" {
			var err error
			if version, err = askVersion(ctx, path, argument); err != nil || version == "" {
				return version, err
			}
			keepVersion(key, version)
		}
		versions.known.Store(key, version)
		return version, nil
	})
}

// versionKey identifies a program as it is now; "" if its version must be asked each
// time.
func versionKey(path, argument string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	start := make([]byte, 2)
	if _, readErr := io.ReadFull(f, start); err != nil || readErr != nil || string(start) == "#!" {
		return ""
	}
	return ctxio.HashParts(path, argument, fmt.Sprint(info.Size()), fmt.Sprint(info.ModTime().UnixNano()))
}

// versionFile returns the file that remembers a version, or "" if there is no folder for
// it.
func versionFile(key string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "citekit", "programs", key)
}

// readVersion returns a remembered version, or "".
func readVersion(key string) string {
	data, err := os.ReadFile(versionFile(key))
	if err != nil || len(data) > maxVersion {
		return ""
	}
	return versionIn(string(data))
}

// keepVersion remembers a version if it can.
func keepVersion(key, version string) {
	name := versionFile(key)
	if name == "" || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new")
	if err != nil {
		return
	}
	_, err = f.WriteString(version)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
}
