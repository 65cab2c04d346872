package code_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/code"
)

// TestPostgresParser compares with the parser of PostgreSQL: the files listed
// in the file named by CITEKIT_CODE_FILES, else those that come with a server.
func TestPostgresParser(t *testing.T) {
	node := sharedtest.Tool(t, "node")
	modules := os.Getenv("CITEKIT_CODE_MODULES")
	if modules == "" {
		modules = filepath.Join("testdata", "node_modules")
	}
	if _, err := os.Stat(filepath.Join(modules, "libpg-query")); err != nil {
		sharedtest.Missing(t, "no libpg-query: run npm ci in modality/text/internal/code/testdata, or set CITEKIT_CODE_MODULES")
	}
	var names []string
	if list := os.Getenv("CITEKIT_CODE_FILES"); list != "" {
		names = listed(t, list, code.SQL)
	} else {
		dir, err := exec.Command("pg_config", "--sharedir").Output()
		if err != nil {
			t.Skip("no files of PostgreSQL: install its server, or set CITEKIT_CODE_FILES")
		}
		names = sourcesOf(t, 300, strings.TrimSpace(string(dir)))[code.SQL]
	}
	var list []byte
	for _, name := range names {
		list = fmt.Appendf(list, "sql\t%s\n", name)
	}
	cmd := exec.Command(node, filepath.Join("testdata", "postgres.mjs"), modules)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(list), os.Stderr
	measure(t, answers(t, cmd))
}
