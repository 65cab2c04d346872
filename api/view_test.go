package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/workspace"
)

func TestView(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 80, 40))); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"book.pdf": string(pdftest.Text(false, "one", "two")), "chart.png": picture.String()}
	for name, text := range files {
		all[name] = text
	}
	c := serve(t, all, nil)
	v := ask[api.View](c, "/v1/view", `{"address": "tea", "quote": "eighty degrees"}`)
	marks := 0
	for _, s := range v.Spans {
		for _, m := range s.Marks {
			marks++
			if got := string([]rune(s.Text)[m[0]:m[1]]); got != "eighty degrees" {
				t.Errorf("%q is marked", got)
			}
		}
	}
	if marks != 1 || v.Label != "Tea" || v.Kind != "lines" || v.Evidence.Path != "/v1/evidence/text:%2F%2Ftea" || v.Document.Title != "Tea" || v.Meta.RequestID == "" {
		t.Errorf("%+v", v)
	}
	var byGet, byPost map[string]any
	_, got := c.send(http.MethodGet, "/v1/view/"+url.PathEscape("text://tea#lines=1-7")+"?quote=eighty+degrees", "")
	_, posted := c.send(http.MethodPost, "/v1/view", `{"address": "text://tea#lines=1-7", "quote": "eighty degrees"}`)
	if err := errors.Join(json.Unmarshal([]byte(got), &byGet), json.Unmarshal([]byte(posted), &byPost)); err != nil {
		t.Fatal(err)
	}
	delete(byGet, "meta")
	delete(byPost, "meta")
	if byGet["label"] == nil || !reflect.DeepEqual(byGet, byPost) {
		t.Errorf("by GET %s, by POST %s", got, posted)
	}
	for _, address := range []string{"doc://book#pages=2", "image://chart"} {
		v := ask[api.View](c, "/v1/view", fmt.Sprintf(`{"address": %q}`, address))
		if len(v.Pictures) != 1 || v.Pictures[0].Address != address || v.Pictures[0].Width == 0 || v.Pictures[0].Height == 0 {
			t.Fatalf("%s: %+v", address, v.Pictures)
		}
		res, err := http.Get(c.url + v.Pictures[0].Path + "?side=200")
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(res.Body)
		res.Body.Close()
		head := res.Header
		if drawn, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || max(drawn.Width, drawn.Height) > 200 || !strings.HasPrefix(head.Get("Content-Type"), "image/") ||
			head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Cache-Control"), "immutable") || head.Get("Vary") != "Authorization, Cookie" {
			t.Errorf("%s: %v, %d, %v, %v", address, drawn, res.StatusCode, head, err)
		}
		again, err := http.NewRequest(http.MethodGet, c.url+"/v1/pictures/"+url.PathEscape(address)+"?side=200", nil)
		if err != nil {
			t.Fatal(err)
		}
		again.Header.Set("If-None-Match", head.Get("ETag"))
		if res, err = http.DefaultClient.Do(again); err != nil || res.StatusCode != http.StatusNotModified || strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %v, %v", address, res, err)
		}
		res.Body.Close()
	}
}

// mayIngest serves a folder to callers who may add files.
func mayIngest(t *testing.T, opts *api.Options) (client, string) {
	dir := t.TempDir()
	server := httptest.NewServer(api.New(openIn(t, dir, files, &corpus.Options{AgentsIngest: true}).Service(nil), opts))
	t.Cleanup(server.Close)
	return client{t, server.URL}, dir
}

// TestAddFiles adds files, maps them, and sees their states.
func TestAddFiles(t *testing.T) {
	c, dir := mayIngest(t, nil)
	if status, text := c.send(http.MethodPut, "/v1/files/new%2Fcocoa.md", "# Cocoa\n\nCocoa is brown.\n"); status != http.StatusCreated || !strings.Contains(text, `"size":25`) {
		t.Fatal(status, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "void.pdf"), []byte("%PDF-1.7\nnothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, events := c.send(http.MethodPost, "/v1/ingest", `{}`)
	_, final, ok := strings.Cut(events, "event: final\ndata: ")
	var end api.IngestEnd
	if err := json.Unmarshal([]byte(strings.TrimSpace(final)), &end); !ok || err != nil || !strings.HasPrefix(events, "event: progress\n") {
		t.Fatal(events, err)
	}
	if end.Counts["mapped"] != 1 || end.Counts["failed"] != 1 || len(end.Failed) != 1 || end.Failed[0].Path != "void.pdf" || end.Failed[0].Reason == "" || end.Problem != nil || end.Meta.RequestID == "" {
		t.Errorf("%+v", end)
	}
	if got := found(ask[api.Results](c, "/v1/search", `{"q": "brown"}`)); got != "cocoa" {
		t.Errorf("found %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "tea.md"), []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "milk.md")); err != nil {
		t.Fatal(err)
	}
	_, text := c.send(http.MethodGet, "/v1/resources?state=true", "")
	var list api.Resources
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, d := range list.Resources {
		states = append(states, fmt.Sprint(d.ID, d.State, d.Path, d.Format, d.Size > 0, d.Nodes > 0, d.Mapped != ""))
	}
	if got, want := strings.Join(states, "\n"), "cocoacurrentnew/cocoa.mdmdtrue true true\nmilkmissingmilk.mdmdtrue true true\nsugarcurrentmore/sugar.txttxttrue true true\nteachangedtea.mdmdtrue true true"; got != want {
		t.Errorf("%s\n%s", got, text)
	}
	if _, text := c.send(http.MethodGet, "/v1/resources", ""); strings.Contains(text, `"state"`) {
		t.Errorf("states that were not asked for: %s", text)
	}
	if _, text := c.send(http.MethodGet, "/v1/unmapped", ""); !strings.Contains(text, `"path":"void.pdf"`) || strings.Count(text, `"path"`) != 1 {
		t.Error(text)
	}
	for name, data := range map[string][]byte{"blob.bin": []byte(strings.Repeat("\x01\x02\x03\x00\xff", 500)), "book.pdf": pdftest.Text(false, "one", "two", "three")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.send(http.MethodPost, "/v1/ingest", `{"paths": ["blob.bin", "book.pdf"]}`)
	if _, text := c.send(http.MethodGet, "/v1/unmapped", ""); !strings.Contains(text, `"path":"blob.bin","reason":"binary, not text: `) {
		t.Errorf("a binary that was named: %s", text)
	}
	if _, text := c.send(http.MethodGet, "/v1/resources?state=true", ""); !strings.Contains(text, `"pages":3}`) || strings.Count(text, `"pages"`) != 1 {
		t.Errorf("pages: %s", text)
	}
	if _, text := c.send(http.MethodGet, "/v1/info", ""); !strings.Contains(text, `"ingest":true`) {
		t.Error(text)
	}
}

// TestRefusedFiles adds what must not be added, and finds the folder as it was.
func TestRefusedFiles(t *testing.T) {
	c, dir := mayIngest(t, &api.Options{MaxFileBytes: 100})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(outside, "gone"), filepath.Join(dir, "dangling.md")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	for name, want := range map[string]int{
		"tea.md": 409, "more": 409, "tea.md/x.md": 409, "link/x.md": 409, "dangling.md": 409, "": 404,
		"../x.md": 400, "a/../../x.md": 400, "/etc/x": 400, ".hidden": 400, ".resource_maps/x.json": 400, "a/.b/c": 400, "a//b": 400, "a/": 400, "./a": 400,
		`a\b`: 400, "a\x00b": 400, "a\nb": 400, "CON": 400, "nul.txt": 400, "a/COM1.md": 400, "a.": 400, "a ": 400, " a": 400, "c:x": 400, "a\u202eb": 400,
		strings.Repeat("a", 201): 400, strings.Repeat("a/", 40) + "b": 400, "\xff": 400, "~$x.docx": 400,
		"GIT~1/config": 400, "a/resour~2/x.json": 400, "GI7EBA~1.X/a": 400,
	} {
		if status, text := c.send(http.MethodPut, "/v1/files/"+url.PathEscape(name), "x"); status != want || strings.Contains(text, dir) {
			t.Errorf("%q: %d, not %d: %s", name, status, want, text)
		}
	}
	if status, _ := c.send(http.MethodPut, "/v1/files/deep%2Fer%2Flong.md", strings.Repeat("x", 101)); status != 413 {
		t.Errorf("too long: %d", status)
	}
	r, err := http.NewRequest(http.MethodPut, c.url+"/v1/files/deep%2Flong.md", io.MultiReader(strings.NewReader(strings.Repeat("x", 101)))) // of a length that is not said
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != 413 {
		t.Errorf("too long: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	if got := listing(t, dir); got != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, got)
	}
	if got := listing(t, outside); got != "" {
		t.Errorf("outside: %s", got)
	}
}

// TestFileAmongMaps adds files to the directories of maps and evidence, which have names
// that are not hidden.
func TestFileAmongMaps(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir, files, &corpus.Options{AgentsIngest: true, Workspace: &workspace.Options{MapsDir: "maps", EvidenceDir: "out"}}).Service(nil)
	for _, name := range []string{"maps/more.json", "out/more.md", "out/new/more.md"} {
		if _, err := s.AddFile(t.Context(), name, strings.NewReader("{}")); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, pattern := range []string{"maps/more.json", "out/*more.md", "out/new", "maps/*.part", "out/.*.part"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", pattern, left, err)
		}
	}
}

// TestFileBesideMaps adds files to a folder that also has the maps: none may be taken for a
// map.
func TestFileBesideMaps(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir, files, &corpus.Options{AgentsIngest: true, Workspace: &workspace.Options{MapsDir: "."}}).Service(nil)
	for name, may := range map[string]bool{"planted.json": false, "planted.JSON": false, "more.md": true, "data/more.json": true, "data/deep/more.json": true} {
		_, err := s.AddFile(t.Context(), name, strings.NewReader("{}"))
		if may && err != nil || !may && !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != may {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFileNotWritten has a file fail for what the machine of the server has or may.
func TestFileNotWritten(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		detail string
	}{
		{syscall.ENOSPC, 507, "full"}, {syscall.EDQUOT, 507, "full"}, {syscall.EACCES, 403, "may not write"}, {syscall.EROFS, 403, "may not write"}, {syscall.EIO, 500, "internal error"},
	} {
		p := api.NotAdded(fmt.Errorf("add: %w", &fs.PathError{Op: "write", Path: "/secret/name", Err: test.err}))
		if p.Status != test.status || !strings.Contains(p.Detail, test.detail) || strings.Contains(p.Detail, "secret") {
			t.Errorf("%v: %d %q", test.err, p.Status, p.Detail)
		}
	}
}

// TestCutFile ends the sending of a file early.
func TestCutFile(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir, files, &corpus.Options{AgentsIngest: true}).Service(nil)
	before := listing(t, dir)
	broken := io.MultiReader(strings.NewReader("half"), &failing{})
	if _, err := s.AddFile(t.Context(), "deep/half.md", broken); err == nil {
		t.Error("half a file is added")
	}
	if got := listing(t, dir); got != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, got)
	}
}

// A failing reader fails.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestNobodyIngests refuses files and ingests where the server was not told to take them.
func TestNobodyIngests(t *testing.T) {
	c := serve(t, files, nil)
	if status, _ := c.send(http.MethodPut, "/v1/files/x.md", "x"); status != 403 {
		t.Errorf("PUT: %d", status)
	}
	if status, _ := c.send(http.MethodPost, "/v1/ingest", `{}`); status != 403 {
		t.Errorf("ingest: %d", status)
	}
	var together sync.WaitGroup
	for range 8 { // each is refused by itself: the race detector watches
		together.Go(func() {
			r, err := http.NewRequest(http.MethodPut, c.url+"/v1/files/x.md", strings.NewReader("x"))
			if err != nil {
				t.Error(err)
				return
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if text, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(text), `"requestId":"`+res.Header.Get("X-Request-Id")+`"`) {
				t.Errorf("%v: %s, %v", res.Header, text, err)
			}
		})
	}
	together.Wait()
	if _, text := c.send(http.MethodGet, "/v1/info", ""); !strings.Contains(text, `"ingest":false`) {
		t.Error(text)
	}
}

// listing returns the names and sizes of all files of a folder that citekit did not make.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); name == ".resource_maps" || name == ".citekit_output" {
			return filepath.SkipDir
		}
		if path != dir {
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintln(&b, strings.TrimPrefix(path, dir), info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
