package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestAPIClients has the examples in other languages ask a server that wants a key. They
// print the same.
func TestAPIClients(t *testing.T) {
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "tea.md"), []byte("# Tea\n\nGreen tea is brewed with water of eighty degrees.\n\n## Pot\n\nA pot holds six cups.\n"))
	keys := filepath.Join(t.TempDir(), "keys.json")
	binary := scratchBinary(t)
	output(t, binary, "ingest", "--dir", base, ".")
	key := strings.TrimSpace(string(output(t, binary, "key", "new", "--keys", keys, "--workspace", "default")))
	url := strings.TrimSuffix(serveURL(t, []string{binary, "serve", "--dir", base, "--keys", keys, "--transport", "http", "--port", "0"}), "/mcp")

	const question = "How many cups does a pot hold?"
	const want = `best of 1, text://tea#lines=5-7: "## Pot\n\nA pot holds six cups.\n"
A pot holds six cups. [text://tea#lines=7-7]
  exact; 22 bytes of evidence, hash right
`
	for _, client := range []struct {
		programs []string
		command  []string
	}{
		{[]string{"bash", "curl", "jq"}, []string{"bash", "curl/ask.sh"}},
		{[]string{"python3"}, []string{"python3", "python/ask.py"}},
		{[]string{"node"}, []string{"node", "javascript/ask.mjs"}},
	} {
		t.Run(client.command[0], func(t *testing.T) {
			for _, program := range client.programs {
				sharedtest.Tool(t, program)
			}
			dir := filepath.Join("..", "..", "..", "examples", "client")
			sharedtest.Read(t, filepath.Join(dir, client.command[1])) // so that a changed client is run again
			ask := func(question, key string) (string, error) {
				cmd := exec.CommandContext(t.Context(), client.command[0], append(client.command[1:], url, question)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "CITEKIT_TOKEN="+key, "no_proxy=*")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if got, err := ask(question, key); err != nil || got != want {
				t.Errorf("%v: %s", err, got)
			}
			if got, err := ask("Who invented the telephone?", key); err == nil || !strings.Contains(got, "nothing is found") && !strings.Contains(got, "the files do not say") {
				t.Errorf("what the files do not say: %v %s", err, got)
			}
			if got, err := ask(question, ""); err == nil || !strings.Contains(got, "token") {
				t.Errorf("without a key: %v %s", err, got)
			}
		})
	}
}
