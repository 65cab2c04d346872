package verify_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/altertest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// A source is a file that quotes are taken from. One half of them are held:
// nobody looks at what is wrong with these.
type source struct {
	id, name string
	held     bool
	data     []byte
	altertest.Source

	layer  *textlayer.Layer
	runs   []textlayer.Run
	breaks []acrossPages
}

// An acrossPages is a quote as a reader copies it over the end of a page.
type acrossPages struct {
	quote string
	page  int // the first one, from 1
	made  bool
}

// A stock is the sources in a Library.
type stock struct {
	*citekit.Library
	searcher *search.Searcher
	verifier *verify.Verifier
	sources  []*source
}

// newStock puts sources into a Library and reads their texts.
func newStock(t testing.TB, sources []*source) *stock {
	t.Helper()
	dir := t.TempDir()
	for _, s := range sources {
		if err := os.WriteFile(filepath.Join(dir, s.name), s.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, &workspace.Options{KeyDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	st := &stock{Library: citekit.New(ws, modality.All(), nil)}
	layers := textlayer.New(st.Library, nil)
	for i, s := range sources {
		if st.read(t, layers, i, s); s.Text != "" {
			st.sources = append(st.sources, s)
		}
	}
	st.searcher = search.New(st.Library, &search.Options{Layers: layers})
	st.verifier = verify.New(st.Library, &verify.Options{Layers: layers, Searcher: st.searcher})
	t.Cleanup(func() { st.searcher.Close(); st.Library.Close() })
	return st
}

func (st *stock) read(t testing.TB, layers *textlayer.Store, i int, s *source) {
	t.Helper()
	s.id = fmt.Sprintf("r%03d", i)
	kind := citekit.Text
	if strings.HasSuffix(s.name, ".pdf") {
		kind = citekit.Document
	}
	if err := st.Save(t.Context(), &citekit.ResourceMap{ResourceID: s.id, Type: kind, SourcePath: s.name}); err != nil {
		t.Fatal(err)
	}
	layer, err := layers.Open(t.Context(), s.id)
	if err != nil {
		t.Logf("%s is left out: %v", s.name, err)
		return
	}
	t.Cleanup(func() { layer.Close() })
	s.layer = layer
	if s.Text, err = layer.Text(t.Context(), 0, layer.Len()); err != nil {
		t.Fatal(err)
	}
	for run := range layer.Runs() {
		s.runs = append(s.runs, run)
	}
	if s.paged() {
		s.Paged, s.OnePage = true, s.onePage
	}
	s.Sentences = altertest.Sentences(&s.Source)
	if s.paged() {
		s.Sentences = withoutHeads(s)
	}
	if s.paged() && s.breaks == nil {
		s.breaks = realBreaks(s)
	}
}

// onePage reports whether bytes are on one page.
func (s *source) onePage(b altertest.Part) bool {
	for _, r := range s.runs {
		if int64(b.From) >= r.From && int64(b.To) <= r.To {
			return true
		}
	}
	return false
}

func (s *source) paged() bool { return strings.HasSuffix(s.name, ".pdf") }

// location is that of bytes of the text.
func (s *source) location(b altertest.Part) citekit.Location {
	loc, err := s.layer.Location(int64(b.From), int64(b.To))
	if err != nil {
		panic(err) // the bytes are of that text
	}
	return loc
}

// gather returns all sources there are: PDF files and Markdown of other
// projects, and prose of ours as text and as PDF.
func gather(t testing.TB) []*source {
	t.Helper()
	var all []*source
	seen := make(map[[32]byte]bool)
	add := func(group, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if seen[sum] || group == "md" && !utf8.Valid(data) {
			return
		}
		seen[sum] = true
		name := fmt.Sprintf("%s-%x.%s", group, sum[:6], strings.TrimPrefix(filepath.Ext(path), "."))
		all = append(all, &source{name: name, held: sum[0]&1 == 1, data: data, Source: altertest.Source{Group: group}})
	}
	for _, path := range pdfFiles(t) {
		add("pdf", path)
	}
	for _, path := range markdownFiles(t) {
		add("md", path)
	}
	return append(all, ownSources(t)...)
}

// pdfFiles lists PDF files of others: those of the corpus, of a module that our
// tests depend on, and manuals of the system.
func pdfFiles(t testing.TB) []string {
	var files []string
	if dir, ok := sharedtest.Extra(t); ok {
		found, _ := filepath.Glob(filepath.Join(dir, "corpus", "pdf", "manual*.pdf"))
		files = append(files, found...)
	}
	for _, dir := range sharedtest.Modules(t) {
		if strings.Contains(filepath.Base(dir), "pdfcpu") {
			found, _ := filepath.Glob(filepath.Join(dir, "pkg", "testdata", "*.pdf"))
			files = append(files, found...)
		}
	}
	found, _ := filepath.Glob("/usr/share/R/doc/manual/R-*.pdf")
	return some(t, bounded(append(files, found...), 20<<10, 1300<<10), 8)
}

// markdownFiles lists the Markdown files of Go and of the modules around.
func markdownFiles(t testing.TB) []string {
	var files []string
	for _, dir := range append(sharedtest.Modules(t), sharedtest.GoRoot(t)) {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") {
				files = append(files, path)
			}
			return nil
		})
	}
	return some(t, bounded(files, 1500, 300<<10), 30)
}

// some keeps at most so many of the files, all of them if CITEKIT_LONG is set:
// modules come and go, what a run takes should not. The content says which, so
// that they are the same wherever the files are, and most stay when some go.
func some(t testing.TB, files []string, most int) []string {
	t.Helper()
	if sharedtest.Long() {
		return files
	}
	if os.Getenv("CITEKIT_QUOTES") != "" {
		most *= 4
	}
	sums := make(map[string][]byte)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		sums[path] = sum[:]
	}
	slices.SortStableFunc(files, func(a, b string) int { return bytes.Compare(sums[a], sums[b]) })
	return files[:min(len(files), most)]
}

// bounded keeps the files of at least and at most so many bytes.
func bounded(files []string, least, most int64) (kept []string) {
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Size() >= least && info.Size() <= most {
			kept = append(kept, path)
		}
	}
	return kept
}

// ownSources makes sources of the prose in testdata, and of what Go says of
// itself in HTML: every other paragraph as text, the rest as PDF.
func ownSources(t testing.TB) (made []*source) {
	for _, group := range []string{"en", "de", "ja", "zh"} {
		for _, half := range []string{"tune", "held"} {
			var texts, set []string
			for i, p := range strings.Split(altertest.Prose(group+"-"+half), "\n") {
				if i%2 == 0 {
					texts = append(texts, p)
				} else {
					set = append(set, p)
				}
			}
			wide := group == "ja" || group == "zh"
			width := map[bool]int{false: 72, true: 30}[wide]
			made = append(made, &source{name: group + "-" + half + ".md", held: half == "held", data: []byte(wrapped(texts, width, wide)), Source: altertest.Source{Group: group, Wide: wide}})
			made = append(made, typeset(group+"-"+half+".pdf", half == "held", group, set, 7))
		}
	}
	for i, name := range []string{"go_spec.html", "go_mem.html", "asm.html"} {
		if data, err := os.ReadFile(filepath.Join(sharedtest.GoRoot(t), "doc", name)); err == nil {
			p := paragraphsOf(string(data))
			made = append(made, typeset(name+"-a.pdf", false, "en", p[:len(p)/2], 20+i), typeset(name+"-b.pdf", true, "en", p[len(p)/2:], 20+i))
		}
	}
	return made
}

var (
	htmlParagraph = regexp.MustCompile(`(?s)<p[^>]*>(.*?)</p>`)
	htmlTag       = regexp.MustCompile(`(?s)<[^>]*>`)
)

// paragraphsOf returns the paragraphs of an HTML file that are in the alphabet of
// a PDF without fonts.
func paragraphsOf(data string) (found []string) {
	for _, m := range htmlParagraph.FindAllStringSubmatch(data, -1) {
		p := strings.Join(strings.Fields(html.UnescapeString(htmlTag.ReplaceAllString(m[1], ""))), " ")
		if len(p) > 80 && strings.IndexFunc(p, func(c rune) bool { return c > 126 || c == '^' }) < 0 {
			found = append(found, p)
		}
	}
	return found
}

var titles = map[string][2]string{
	"en": {"Notes on the Works of the Coast", "Chapter %d  Of Plans and Walls"},
	"de": {"Denkschriften des Vereins", "%d. Teil: Bau und Betrieb"},
	"ja": {"町の記録", "第%d章 暮らしと仕事"},
	"zh": {"地方志资料", "第%d章 生活与劳动"},
}

// typeset makes a PDF with running heads, page numbers and notes, which differ
// from file to file.
func typeset(name string, held bool, group string, paragraphs []string, rows int) *source {
	sum := sha256.Sum256([]byte(name))
	wide := group == "ja" || group == "zh"
	s := &typesetter{columns: 1, width: 78, rows: rows, notes: !wide, wide: wide, headLast: sum[1]&1 == 1}
	if wide {
		s.width = 30
	} else if sum[2]&1 == 1 {
		s.columns, s.width, s.rows = 2, 46, rows/2+1
	}
	title := titles[group]
	s.head = func(page int) string {
		if page%2 == 0 {
			return strconv.Itoa(page+11) + "   " + title[0]
		}
		return fmt.Sprintf(title[1], 1+page/9) + "   " + strconv.Itoa(page+11)
	}
	switch sum[3] % 3 {
	case 0:
		s.head = func(int) string { return title[0] }
		s.foot = func(page int) string { return strconv.Itoa(page + 11) }
	case 1:
		s.foot = func(page int) string { return fmt.Sprintf("- %d -", page+11) }
	}
	s.set(paragraphs)
	src := &source{name: name, held: held, data: s.pdf(), breaks: []acrossPages{}, Source: altertest.Source{Group: group, Wide: wide}}
	for _, n := range []int{6, 9, 14} {
		before, after := n, n
		if wide {
			before, after = 3*n, 2*n
		}
		quotes, pages := s.breaks(before, after)
		for i := range quotes {
			src.breaks = append(src.breaks, acrossPages{quotes[i], pages[i], true})
		}
	}
	return src
}
