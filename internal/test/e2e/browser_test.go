package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A browser runs scripts of testdata/browser in one Chromium.
type browser struct {
	mu    sync.Mutex
	in    io.WriteCloser
	out   *bufio.Reader
	noise strings.Builder
}

// startBrowser starts a browser that ends with the test. Its profile is new, and removed
// with all that it wrote.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	modules, chromium := sharedtest.Browser(t)
	scripts, err := filepath.Abs(filepath.Join("testdata", "browser"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(scripts)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			sharedtest.Read(t, filepath.Join(scripts, entry.Name())) // so that a changed script is run again
		}
	}
	b := &browser{}
	cmd := exec.Command(sharedtest.Tool(t, "node"), filepath.Join(scripts, "driver.mjs"), modules, chromium)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.Stderr = &b.noise
	if b.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	b.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.in.Close()
		ended := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		defer ended.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the browser did not end well: %v\n%s", err, b.noise.String())
		}
		left, _ := filepath.Glob(filepath.Join(home, "playwright*"))
		if len(left) > 0 {
			t.Errorf("the browser left %v", left)
		}
	})
	return b
}

// run runs a script with an input, and reads its output. What must not happen on any
// page, which is the field "trouble" of the output, is an error of the test.
func (b *browser) run(t testing.TB, script string, input, output any) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	call, err := json.Marshal(map[string]any{"script": script, "input": input})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.in.Write(append(call, '\n')); err != nil {
		t.Fatalf("the browser: %v\n%s", err, b.noise.String())
	}
	line, err := b.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("the browser: %v\n%s", err, b.noise.String())
	}
	var result struct {
		Output json.RawMessage
		Error  string
	}
	if err := json.Unmarshal(line, &result); err != nil {
		t.Fatal(err)
	}
	if result.Error != "" {
		t.Fatalf("%s: %s", script, result.Error)
	}
	var common struct{ Trouble []string }
	if err := json.Unmarshal(result.Output, &common); err != nil {
		t.Fatalf("%s: %v in %.200s", script, err, result.Output)
	}
	for i, what := range common.Trouble {
		if i == 10 {
			t.Errorf("%d more", len(common.Trouble)-i)
			break
		}
		t.Errorf("%s: %s", script, what)
	}
	if output == nil {
		return
	}
	if err := json.Unmarshal(result.Output, output); err != nil {
		t.Fatalf("%s: %v in %.200s", script, err, result.Output)
	}
}

// A viewed is a server whose pages a browser opens.
type viewed struct {
	URL      string           `json:"url"`               // what the paths of pages stand behind
	Cookies  []map[string]any `json:"cookies,omitempty"` // of who is signed in
	Expected []string         `json:"expected,omitempty"`

	link string // what the command printed
}

var viewLink = regexp.MustCompile(`http://[^\s"]+`)

// view runs "citekit view" over a folder until the test ends, and signs in with its link.
func (b *browser) view(t testing.TB, base string, args ...string) *viewed {
	t.Helper()
	v := startView(t, base, args...)
	b.signIn(t, v)
	return v
}

// signIn opens the link of a server, and keeps the cookie.
func (b *browser) signIn(t testing.TB, v *viewed) {
	t.Helper()
	var signed struct{ Cookies []map[string]any }
	b.run(t, "signin", map[string]any{"url": v.URL, "link": v.link}, &signed)
	if len(signed.Cookies) != 1 {
		t.Fatalf("%d cookies after signing in", len(signed.Cookies))
	}
	v.Cookies = signed.Cookies
}

// startView is view, and the link is not used.
func startView(t testing.TB, base string, args ...string) *viewed {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{"view", "--no-open", "--dir", base}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var noise strings.Builder
	cmd.Stderr = &noise
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	t.Cleanup(func() {
		cmd.Process.Kill()
		reading.Wait()
		cmd.Wait()
		if t.Failed() && noise.Len() > 0 {
			t.Logf("the server: %s", noise.String())
		}
	})
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if link := viewLink.FindString(line); link != "" {
			base, _, _ := strings.Cut(link, "/view/")
			reading.Go(func() { _, _ = io.Copy(io.Discard, lines) })
			return &viewed{URL: base, link: link}
		}
		if err != nil {
			t.Fatalf("no link: %v\n%s", err, noise.String())
		}
	}
}

// get asks the server as the page that is signed in would.
func (v *viewed) get(t testing.TB, path string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Cookies {
		req.AddCookie(&http.Cookie{Name: c["name"].(string), Value: c["value"].(string)})
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %s %.500s", path, err, resp.Status, data)
	}
	return data
}
