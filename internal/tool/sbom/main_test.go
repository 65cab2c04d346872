package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The bill of this command itself, which has no module beside the standard
// library, and of a file that is not a program.
func TestOwnBill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program: not with -short")
	}
	program := filepath.Join(t.TempDir(), "sbom")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run([]string{program}, out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two bills of one program differ")
	}
	var b bom
	if err := json.Unmarshal(first.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != 1+len(info.Deps) || b.Components[0].Name != "std" || "go"+b.Components[0].Version != info.GoVersion || b.Components[0].Licenses[0].Expression != "BSD-3-Clause" {
		t.Errorf("the components: %+v", b.Components)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(b.SerialNumber) {
		t.Errorf("serial number %q", b.SerialNumber)
	}
	if err := run([]string{"main.go"}, &first); err == nil || !strings.Contains(err.Error(), "main.go") {
		t.Errorf("of a text: %v", err)
	}
	if err := run(nil, &first); err == nil || !strings.Contains(err.Error(), "usage") {
		t.Errorf("of nothing: %v", err)
	}
	if err := run([]string{filepath.Join(t.TempDir(), "none")}, &first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a file that is not there: %v", err)
	}
}
