package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

const maxPage = 150_000 // bytes

// TestPageIsCurrent makes the page again and compares it with the one that is served.
func TestPageIsCurrent(t *testing.T) {
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Page(filepath.Join(root, "viewer", "assets"))
	if err != nil {
		t.Fatal(err)
	}
	served, err := os.ReadFile(filepath.Join(root, "mcpadapter", "internal", "apps", "evidence.html"))
	if err != nil {
		t.Fatal(err)
	}
	if served = bytes.ReplaceAll(served, []byte("\r\n"), []byte("\n")); !bytes.Equal(made, served) {
		t.Errorf("evidence.html has %d bytes, and what viewer/assets makes %d: run go generate ./mcpadapter/internal/apps", len(served), len(made))
	}
	if len(served) > maxPage {
		t.Errorf("%d bytes; at most %d", len(served), maxPage)
	}
	t.Logf("%d bytes", len(served))
}

// TestPolicy checks that the policy of the page allows what is in it by hash, and no
// address.
func TestPolicy(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"evidence.js":  `import { say } from "./say.js"; say("</script><!--");`,
		"say.js":       `export function say(what) { document.title = what; }`,
		"evidence.css": `body { color: red } a::after { content: "</style>" }`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page, err := Page(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, element := range []string{"script", "style"} {
		inline := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllSubmatch(page, -1)
		if len(inline) != 1 || bytes.Count(page, []byte("</"+element+">")) != 1 {
			t.Fatalf("%d elements %s: %s", len(inline), element, page)
		}
		sum := sha256.Sum256(inline[0][1])
		if allowed := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !bytes.Contains(page, []byte(allowed)) {
			t.Errorf("the policy lacks %s", allowed)
		}
	}
	if regexp.MustCompile(`content="[^"]*(https?:|\*|unsafe|self)`).Match(page) {
		t.Errorf("the policy allows an address: %s", page)
	}
}

// TestFault names the file and the line of what cannot be read.
func TestFault(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "evidence.js"), []byte("\nlet = = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Page(dir); err == nil || !regexp.MustCompile(`evidence\.js:2: `).MatchString(err.Error()) {
		t.Error(err)
	}
}
