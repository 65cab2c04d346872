package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/stdio"
)

// TestQuestionsBySkill asks the ten questions through the command line, as the skill says,
// and over MCP: one search, and one read of the first hits. It prints how many tokens an
// agent reads of each: the skill or the definitions of tools once, and all answers.
func TestQuestionsBySkill(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("builds the command")
	}
	bin := filepath.Join(t.TempDir(), "citekit")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", bin, "github.com/citekit/citekit/cmd/citekit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := questionFolder(t)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return string(out)
	}
	run("ingest", ".")
	server, err := stdio.Start(t.Context(), dir, bin, "serve")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	call := func(name string, args map[string]any) string {
		t.Helper()
		result, err := server.Tool(name, args)
		if err != nil || result.IsError {
			t.Fatalf("%s: %v %s", name, err, result.Text)
		}
		return result.Text
	}

	skill, err := os.ReadFile(filepath.Join("..", "..", "..", "skills", "citekit", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := server.Call("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var tools struct{ Tools json.RawMessage }
	if err := json.Unmarshal(list, &tools); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`\b[a-z]+://[^\s"\\]+`)
	var tokens, right [2]int
	for _, q := range questions {
		hits := [2]string{run("search", "--top-k", "5", q.text), call("search", map[string]any{"query": q.text, "top_k": hitsShown})}
		for way, found := range hits {
			ids := address.FindAllString(found, -1)
			if len(ids) < hitsRead {
				t.Fatalf("%s: few addresses in %s", q.text, found)
			}
			ids = ids[:hitsRead]
			var read string
			if way == 0 {
				read = run(append([]string{"read", "--tokens", "900"}, ids...)...)
			} else {
				read = call("getContents", map[string]any{"ids": ids, "max_tokens": tokensToRead})
			}
			tokens[way] += plain.CountTokens(found) + plain.CountTokens(read)
			if strings.Contains(words(strings.ReplaceAll(read, `\n`, " ")), words(q.answer)) {
				right[way]++
			}
		}
	}
	t.Logf("skill: %d tokens once, %d for the answers, %d of %d answers read", plain.CountTokens(string(skill)), tokens[0], right[0], len(questions))
	t.Logf("MCP: %d tokens once, %d for the answers, %d of %d answers read", plain.CountTokens(string(tools.Tools)), tokens[1], right[1], len(questions))
	if right[0] < leastRead || right[1] < leastRead {
		t.Errorf("fewer than %d answers are read", leastRead)
	}
}
