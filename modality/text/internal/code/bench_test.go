package code_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

// BenchmarkMap maps the sources under the directory named by CITEKIT_CODE_DIR,
// by language, up to 8 MB of each.
func BenchmarkMap(b *testing.B) {
	dir := os.Getenv("CITEKIT_CODE_DIR")
	if dir == "" {
		b.Skip("set CITEKIT_CODE_DIR to a directory of source code")
	}
	const enough = 8 << 20
	sources := make(map[code.Language][][]byte)
	sizes := make(map[code.Language]int)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		lang, ok := code.LanguageOf(name, nil)
		if !ok || sizes[lang] > enough {
			return nil
		}
		src, err := os.ReadFile(name)
		sources[lang] = append(sources[lang], src)
		sizes[lang] += len(src)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for lang, files := range sources {
		b.Run(string(lang), func(b *testing.B) {
			b.SetBytes(int64(sizes[lang]))
			b.ReportAllocs()
			for b.Loop() {
				for _, src := range files {
					if _, err := code.Map(context.Background(), lang, src); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
