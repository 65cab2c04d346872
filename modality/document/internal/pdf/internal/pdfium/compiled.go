package pdfium

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A mark is a file beside the compiled code that names the versions it was compiled
// for, because only the runtime knows the names of its own files. If the mark is
// missing, or is of another processor, a message is shown too often or not at all, and
// nothing else.
type mark struct{ dir, name string }

// markOf returns the mark in a cache directory for this program.
func markOf(dir string) mark {
	versions := []string{runtime.GOOS, runtime.GOARCH, "metered 1"} // raised if [metered] changes
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/klippa-app/go-pdfium" || module.Path == "github.com/tetratelabs/wazero" {
				versions = append(versions, module.Version)
			}
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(versions, " ")))
	return mark{dir, "compiled-" + hex.EncodeToString(sum[:8])}
}

// isThere reports whether there is compiled code for this program.
func (m mark) isThere() bool {
	if m.dir == "" {
		return false
	}
	if _, err := os.Lstat(filepath.Join(m.dir, m.name)); err != nil {
		return false
	}
	code, err := filepath.Glob(filepath.Join(m.dir, "wazero-*-"+runtime.GOARCH+"-"+runtime.GOOS, "*"))
	return err == nil && len(code) > 0
}

// leave creates the mark. If that fails, the next process shows the message again.
func (m mark) leave() {
	if m.dir != "" {
		_ = os.WriteFile(filepath.Join(m.dir, m.name), nil, 0o600)
	}
}
