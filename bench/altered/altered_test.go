package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain is the fake MCP server that TestHarness starts: a search for the very bytes.
func TestMain(m *testing.M) {
	if folder := os.Getenv("ALTERED_FAKE"); folder != "" {
		fakeServer(folder)
		return
	}
	os.Exit(m.Run())
}

func fakeServer(folder string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var req struct {
			ID     int
			Method string
			Params struct{ Arguments struct{ Quote, File string } }
		}
		if json.Unmarshal(lines.Bytes(), &req) != nil || req.ID == 0 {
			continue
		}
		result := `{}`
		if req.Method == "tools/call" {
			text, _ := os.ReadFile(filepath.Join(folder, req.Params.Arguments.File))
			result = fmt.Sprintf(`{"content":[{"type":"text","text":"found %t"}]}`, bytes.Contains(text, []byte(req.Params.Arguments.Quote)))
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", req.ID, result)
	}
}

// TestGenerate checks that a seed gives the same quotes, that all categories are there,
// and that no quote that is to fail stands in the text that it names.
func TestGenerate(t *testing.T) {
	texts, err := readTexts("")
	if err != nil {
		t.Fatal(err)
	}
	one, again, other := generate(texts, 7, 1), generate(texts, 7, 1), generate(texts, 8, 1)
	if string(encode(one)) != string(encode(again)) || string(encode(one)) == string(encode(other)) {
		t.Error("the quotes are not those of the seed")
	}
	content, counts := make(map[string]string), make(map[string]int)
	for _, s := range texts {
		content[s.file] = s.Text
	}
	for _, q := range one {
		counts[q.Category]++
		if q.Category != "true" && strings.Contains(content[q.File], q.Quote) {
			t.Errorf("%s: %q stands in %s", q.Kind, q.Quote, q.File)
		}
	}
	for _, c := range categories {
		if counts[c] == 0 {
			t.Errorf("no quote is %s", c)
		}
	}
}

// TestHarness asks an MCP server and a command, and writes the table.
func TestHarness(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ALTERED_FAKE", filepath.Join(dir, "texts"))
	server := filepath.Join(dir, "server.json")
	if err := os.WriteFile(server, encode(peer{
		Name: "fake", Version: []string{"1.2"}, Server: []string{os.Args[0]}, Tool: "check",
		Arguments: map[string]any{"quote": "${quote}", "file": "${file}"}, Holds: "found true", Fails: "found false",
	}), 0o600); err != nil {
		t.Fatal(err)
	}
	texts, err := readTexts("")
	if err != nil {
		t.Fatal(err)
	}
	quotes := []quote{{"true", "exact", "en.md", texts[0].Text[:60], ""}, {"altered", "x", "en.md", "no such words", ""}, {"moved", "x", "de.md", texts[0].Text[:60], ""}}
	folder, err := write(dir, texts, quotes)
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPeer(server)
	if err != nil {
		t.Fatal(err)
	}
	answers, version, err := p.ask(t.Context(), folder, quotes)
	if err != nil {
		t.Fatal(err)
	}
	var misses bytes.Buffer
	if r := judge(p, quotes, answers, &misses); version != "1.2" || r.right["true"]+r.right["altered"]+r.right["moved"] != 3 || misses.Len() > 0 {
		t.Errorf("version %q, %+v\n%s", version, r, misses.String())
	}
}

func TestJudge(t *testing.T) {
	p := &peer{Name: "p", Version: []string{"1"}, Command: []string{"x", "${quote}"}, Holds: "yes", Fails: "no"}
	name := filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(name, encode(p), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := readPeer(name)
	if err != nil {
		t.Fatal(err)
	}
	quotes := []quote{{Category: "true"}, {Category: "true"}, {Category: "altered"}, {Category: "moved"}, {Category: "invented"}}
	said := []answer{{"yes", 2 * time.Millisecond}, {"no", time.Millisecond}, {"no", 3 * time.Millisecond}, {"yes", 0}, {"perhaps", 0}}
	var misses bytes.Buffer
	got := table(quotes, []row{judge(p, quotes, said, &misses)})
	want := "| p |  | 0.500 | 1.000 | 0.000 | – | 0.000 | 1 | 1.0 |\n"
	if !strings.HasSuffix(got, want) || strings.Count(misses.String(), "\n") != 3 {
		t.Errorf("%s\n%s", got, misses.String())
	}
}

func TestBadPeers(t *testing.T) {
	for _, bad := range []string{
		`{`, `{"unknown":1}`, `{"name":"x","version":["1"],"holds":"a","fails":"b"}`,
		`{"name":"x","version":["1"],"command":["x"],"holds":"(","fails":"b"}`,
		`{"name":"x","version":["1"],"command":["x"],"server":["x"],"tool":"t","holds":"a","fails":"b"}`,
	} {
		name := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readPeer(name); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// TestWriteKeeps checks that a folder of somebody else stays as it is.
func TestWriteKeeps(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "texts", "own.md")
	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("Own.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := write(dir, nil, nil); err == nil {
		t.Error("a folder that is there was replaced")
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}
