package document_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func ref(num int) string { return fmt.Sprintf("%d 0 R ", num) }

// codeCache returns a directory that the tests of all runs share, so that
// PDFium starts quickly. It is not below the directory of temporary files,
// which the conformance suite watches.
func codeCache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "citekit", "pdfium")
}
