package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/internal/test/issuertest"
	"github.com/citekit/citekit/viewer"
)

// serveView runs "citekit serve --view" with settings until the test ends.
func serveView(t *testing.T, settings string) *viewed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "citekit.yaml")
	writeFile(t, path, []byte("transport: http\nport: 0\nview: true\n"+settings))
	cmd := exec.Command(scratchBinary(t), "serve", "--config", path)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var noise strings.Builder
	var reading sync.WaitGroup
	t.Cleanup(func() {
		cmd.Process.Kill()
		reading.Wait()
		cmd.Wait()
		if t.Failed() {
			t.Logf("the server: %s", noise.String())
		}
	})
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadString('\n')
		noise.WriteString(line)
		if link := viewLink.FindString(line); strings.HasSuffix(link, "/view/") {
			reading.Go(func() { _, _ = io.Copy(&noise, lines) })
			return &viewed{URL: strings.TrimSuffix(link, "/view/")}
		}
		if err != nil {
			t.Fatalf("no pages: %v\n%s", err, noise.String())
		}
	}
}

// viewSignIn signs in with keys and with a token of an identity provider.
func viewSignIn(t *testing.T, b *browser) {
	dir := t.TempDir()
	for _, name := range []string{"red", "blue"} {
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(folder, name+".txt"), []byte("What "+name+" says.\n"))
		runIngest(t, folder, ".")
	}
	keys, bin := filepath.Join(dir, "keys.json"), scratchBinary(t)
	newKey := func(workspaces ...string) string {
		args := []string{"key", "new", "--keys", keys}
		for _, w := range workspaces {
			args = append(args, "--workspace", w)
		}
		return strings.TrimSpace(string(output(t, bin, args...)))
	}
	both, other := newKey("red", "blue"), newKey("red")
	issuer := issuertest.New(t)
	site := serveView(t, fmt.Sprintf("keys: %s\nworkspaces:\n  red: {dir: %s}\n  blue: {dir: %s}\noauth:\n  issuer: %s\n  resource: %s\n  scopes: [read-red]\n  grants:\n    read-red: {workspaces: [red]}\n",
		keys, filepath.Join(dir, "red"), filepath.Join(dir, "blue"), issuer.URL, issuertest.Audience))
	site.Expected = []string{"status of 401"}
	_, rest, _ := strings.Cut(other, "_")
	id, _, _ := strings.Cut(rest, "_")
	token := issuer.Token(t, "ES256", nil)
	var got struct {
		Steps map[string]struct {
			Screen, Path, Words, Marks string
			Workspaces, Kept           []string
			SignOut                    bool
			Status, Cookies            int
		}
	}
	b.run(t, "keys", map[string]any{
		"site": site, "wrong": []string{"ck_nobody", both + "x", "ключ", issuer.Token(t, "none", nil)}, "both": both, "token": token, "other": other,
		"revoke": []string{bin, "key", "revoke", "--keys", keys, id}, "link": viewer.Link("", "text://red#lines=1-1", "What red says.") + "&w=red",
	}, &got)
	const knows = "The server does not know this key."
	for _, test := range []struct {
		step, screen, words, not string
		workspaces               []string
		status                   int
	}{
		{"before", "sign-in", "This server needs a key.", "says", nil, 401},
		{"wrong 0", "sign-in", knows, "says", nil, 401}, {"wrong 1", "sign-in", knows, "says", nil, 401}, {"wrong 2", "sign-in", knows, "says", nil, 401}, {"wrong 3", "sign-in", knows, "says", nil, 401},
		{"right", "reader", "What red says.", "", []string{"*red", "blue"}, 200},
		{"blue", "library", "blue.txt", "red.txt", []string{"red", "*blue"}, 200},
		{"reloaded", "library", "blue.txt", "red.txt", []string{"red", "*blue"}, 200},
		{"out", "sign-in", "This server needs a key.", "blue", nil, 401},
		{"back", "sign-in", "This server needs a key.", "blue", nil, 401},
		{"token", "library", "red.txt", "blue", nil, 200},
		{"search", "search", "What red says.", "blue", nil, 200},
		{"revoked", "sign-in", "Your session has ended", "What red says.", nil, 401},
		{"revoked key", "sign-in", knows, "What red says.", nil, 401},
		{"again", "search", "What red says.", "", []string{"*red", "blue"}, 200},
	} {
		s := got.Steps[test.step]
		if s.Screen != test.screen || !strings.Contains(s.Words, test.words) || test.not != "" && strings.Contains(s.Words, test.not) {
			t.Errorf("%s: screen %s, with %q and without %q: %s", test.step, s.Screen, test.words, test.not, s.Words)
		}
		if !slices.Equal(s.Workspaces, test.workspaces) || s.Status != test.status {
			t.Errorf("%s: workspaces %q, status %d", test.step, s.Workspaces, s.Status)
		}
		if in := test.status == 200; s.SignOut != in || in && s.Cookies != 1 {
			t.Errorf("%s: a button to sign out: %t; %d cookies", test.step, s.SignOut, s.Cookies)
		}
		if len(s.Kept) > 0 {
			t.Errorf("%s: kept in the browser: %q", test.step, s.Kept)
		}
	}
	if right := got.Steps["right"]; right.Marks != "What red says." || !strings.HasSuffix(right.Path, "w=red") {
		t.Errorf("the link that was opened first: %+v", right)
	}
	if out := got.Steps["out"]; out.Cookies != 0 {
		t.Errorf("%d cookies after signing out", out.Cookies)
	}
}
