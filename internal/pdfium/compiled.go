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

// A mark is a file beside the compiled code that says which versions it is of:
// the runtime alone knows the names of its files. One that is missing, or of
// another processor, costs a message too many or too few and nothing else.
type mark struct{ dir, name string }

// markOf returns the mark in a cache directory for what this program runs.
func markOf(dir string) mark {
	versions := []string{runtime.GOOS, runtime.GOARCH}
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

// isThere reports whether there is compiled code that this program can use.
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

// leave notes that the code is compiled. If that fails, the next process tells
// of it once more.
func (m mark) leave() {
	if m.dir != "" {
		_ = os.WriteFile(filepath.Join(m.dir, m.name), nil, 0o600)
	}
}
