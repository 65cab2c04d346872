package command

import (
	"fmt"
	"os"

	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/ctxio"
)

// mappingPrograms are the programs on which it depends what can be mapped.
var mappingPrograms = []string{"ffmpeg", "ffprobe", "tesseract"}

// programKey identifies this program and those that it runs, with what they are asked
// for: for [ingest.Options.Program].
func programKey(asked ...any) string {
	parts := []string{buildVersion().Version, fmt.Sprint(asked...)}
	if own, err := os.Executable(); err == nil {
		parts = append(parts, fileKey(own))
	}
	for _, name := range mappingPrograms {
		path, err := child.Find(name)
		if err != nil {
			parts = append(parts, name)
			continue
		}
		parts = append(parts, fileKey(path))
	}
	return ctxio.HashParts(parts...)
}

// fileKey identifies a file by its path, size and time.
func fileKey(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
}
