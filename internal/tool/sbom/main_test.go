package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
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

// A module whose code is that of a folder, as go.mod can say, is described by that.
func TestModuleInFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program: not with -short")
	}
	licence, err := os.ReadFile(filepath.Join("..", "..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/library\n\ngo 1.26.0\n", "LICENSE": string(licence), "library.go": "package library\n\nconst Name = \"x\"\n",
		"own/go.mod":  "module example.org/library/own\n\ngo 1.26.0\n\nrequire example.org/library v0.0.0\n\nreplace example.org/library => ../\n",
		"own/main.go": "package main\n\nimport \"example.org/library\"\n\nfunc main() { println(library.Name) }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "own"))
	if out, err := exec.Command("go", "build", "-o", "program", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := describe("program")
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != 2 || b.Components[1].Ref != "example.org/library@v0.0.0" || b.Components[1].Licenses[0].Expression != "MIT" {
		t.Errorf("the components: %+v", b.Components)
	}
	t.Chdir(dir)
	if _, err := describe(filepath.Join("own", "program")); err != nil {
		t.Errorf("in the folder of the module itself: %v", err)
	}
	t.Chdir(t.TempDir())
	if _, err := describe(filepath.Join(dir, "own", "program")); err == nil || !strings.Contains(err.Error(), "run this in the folder of the program's module") {
		t.Errorf("elsewhere: %v", err)
	}
}
