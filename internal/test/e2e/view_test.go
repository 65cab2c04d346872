package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // some pictures of pages are
	"image/png"
	"io/fs"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/viewer"
)

// TestViewer opens the pages of "citekit view" in a browser. One browser and one folder of
// documents serve for most of it.
func TestViewer(t *testing.T) {
	sharedtest.Once(t)
	b := startBrowser(t)
	base := t.TempDir()
	passages := writeShelf(t, base)
	runIngest(t, base, ".")
	v := b.view(t, base)
	t.Run("screens", func(t *testing.T) { viewScreens(t, b, v) })
	t.Run("security", func(t *testing.T) { viewSecurity(t, b, base) })
	t.Run("quotes", func(t *testing.T) { viewQuotes(t, b, v, base, passages) })
	t.Run("readiness", func(t *testing.T) { viewReadiness(t, b, v, passages[0]) })
	t.Run("states", func(t *testing.T) { viewStates(t, b) })
	t.Run("keyboard", func(t *testing.T) { viewKeyboard(t, b, v) })
	t.Run("asks", func(t *testing.T) { viewAsks(t, b, v) })
	t.Run("upload", func(t *testing.T) { viewUpload(t, b) })
	t.Run("drop", func(t *testing.T) { viewDrop(t, b) })
	t.Run("right-to-left", func(t *testing.T) { viewRightToLeft(t, b) })
	t.Run("long", func(t *testing.T) { viewLong(t, b) })
	t.Run("seek", func(t *testing.T) { viewSeek(t, b) })
	t.Run("hostile", func(t *testing.T) { viewHostile(t, b) })
	t.Run("attacks", func(t *testing.T) { viewAttacks(t, b) })
	t.Run("handover", func(t *testing.T) { viewHandover(t, b) })
	t.Run("sign-in", func(t *testing.T) { viewSignIn(t, b) })
	t.Run("pictures", func(t *testing.T) { viewPictures(t, b) })
}

// viewReadiness holds the picture of a page back: the page is ready once it is there, or
// once it cannot be had.
func viewReadiness(t *testing.T, b *browser, v *viewed, p passage) {
	type page struct{ Before, Shows bool }
	var got struct{ Whole, Failing page }
	site := *v
	site.Expected = []string{"Failed to load resource.*500"}
	b.run(t, "readiness", map[string]any{"site": site, "path": viewer.Link("", p.address, newVocabulary(50).quoteText(p))}, &got)
	if got.Whole != (page{Shows: true}) || got.Failing != (page{}) {
		t.Errorf("%+v", got)
	}
}

// A markedPage is what a page of the reader marks.
type markedPage struct {
	State, Quote string
	Texts        []struct {
		Text, Mark string
		At         map[string]string
	}
	Boxes []struct {
		Picture, Mark string
		Lost          bool
		Box           [4]float64 // left, top, width and height, as fractions of the picture
	}
	Cited          []string // texts of cells
	Heads          []string // names of columns
	Quoted         int      // how often the quote and its source are shown
	Numbers, Times []string // of lines; below the track of a recording
	Seen           bool
	Words          string
}

// viewQuotes opens links to more than two hundred quotes: what is marked is the quote, in
// text letter for letter, and on the picture of a page its ink and that of nothing else.
func viewQuotes(t *testing.T, b *browser, v *viewed, base string, passages []passage) {
	each := usually(12, 36)
	words := newVocabulary(30)
	byKind := make(map[string][]passage)
	for _, p := range passages {
		byKind[p.kind] = append(byKind[p.kind], p)
	}
	type asked struct {
		passage
		quote []string
	}
	var quotes []asked
	var paths []string
	for _, kind := range []string{"PDF", "Word", "sheets", "slides", "code", "subtitles", "CSV"} {
		for range each {
			of := byKind[kind]
			p := of[words.random.IntN(len(of))]
			q := asked{p, words.quote(p)}
			quotes = append(quotes, q)
			paths = append(paths, viewer.Link("", p.address, strings.Join(q.quote, " ")))
		}
	}
	var got struct{ Outputs []markedPage }
	b.run(t, "quotes", map[string]any{"site": v, "paths": paths}, &got)
	var other struct{ Outputs []markedPage }
	b.run(t, "quotes", map[string]any{"site": v, "paths": []string{viewer.Link("", "text://letter", "algebraic patterns"), viewer.Link("", "audio://tone", "")}}, &other)
	if numbers := other.Outputs[0].Numbers; !slices.Equal(numbers, []string{"", "", "", "", "", "1", "2", "3"}) {
		t.Errorf("the numbers of the lines of a mail: %q", numbers)
	}
	if times := other.Outputs[1].Times; !slices.Equal(times, []string{"0:00", "0:05", "0:10", "0:15", "0:20"}) {
		t.Errorf("the times of a recording of 20 seconds: %q", times)
	}
	ink := &inkReader{t: t, v: v, base: base, pages: make(map[string]*inkedPage)}
	wrong := make(map[string]int)
	for i, q := range quotes {
		page := got.Outputs[i]
		quote := strings.Join(q.quote, " ")
		problem := ""
		switch {
		case page.State != "current":
			problem = "the reader is in state " + strconv.Quote(page.State)
		case !page.Seen:
			problem = "no mark is in view"
		case len(page.Boxes) > 0:
			problem = ink.compare(q.address, q.quote, page)
		case q.kind == "PDF":
			problem = "nothing is marked on the picture"
		}
		if problem == "" && (q.kind != "PDF" || len(page.Texts) > 0) {
			problem = compareText(quote, q.plain, page)
		}
		if problem == "" {
			problem = compareLine(q.address, page)
		}
		if problem == "" && q.kind == "CSV" {
			problem = compareRow(q.passage, page)
		}
		if problem != "" {
			if wrong[q.kind]++; wrong[q.kind] <= 3 {
				t.Errorf("%s: %s", paths[i], problem)
			}
		}
	}
	t.Logf("%d quotes, of which wrong: %v", len(quotes), wrong)
}

// compareText returns what is wrong with the marked text. The white space of a quote that
// goes over lines is not compared.
func compareText(quote string, plain bool, page markedPage) string {
	var marked strings.Builder
	for _, m := range page.Texts {
		marked.WriteString(m.Text)
	}
	got := marked.String()
	if !plain {
		got, quote = strings.Join(strings.Fields(got), ""), strings.Join(strings.Fields(quote), "")
	}
	if got != quote {
		return fmt.Sprintf("%q is marked, not %q", got, quote)
	}
	return ""
}

var lineOf = regexp.MustCompile(`#lines=([0-9]+)-([0-9]+)$`)

// compareLine returns what is wrong with the lines of the marks, as the page numbers them.
func compareLine(address string, page markedPage) string {
	want := lineOf.FindStringSubmatch(address)
	if want == nil {
		return ""
	}
	first, _ := strconv.Atoi(want[1])
	last, _ := strconv.Atoi(want[2])
	for _, m := range page.Texts {
		at := lineOf.FindStringSubmatch(m.At["address"])
		if at == nil {
			return fmt.Sprintf("the line of a mark does not have its address, but %v", m.At)
		}
		line, _ := strconv.Atoi(at[1])
		if line < first || line > last {
			return fmt.Sprintf("line %d is marked", line)
		}
	}
	return ""
}

// compareRow returns what is wrong with the row of the marks, and with the cells that are
// shown as cited.
func compareRow(p passage, page markedPage) string {
	_, row, _ := strings.Cut(p.address, "#rows=")
	row, _, _ = strings.Cut(row, "&")
	for _, m := range page.Texts {
		if m.At["row"] != row {
			return fmt.Sprintf("row %s is marked", m.At["row"])
		}
	}
	if len(page.Cited) != 1 || !slices.Equal(strings.Fields(page.Cited[0]), p.words) {
		return fmt.Sprintf("the cells %q are cited", page.Cited)
	}
	if heads := strings.Join(page.Heads, "|"); heads != "place|remark, old|remark" {
		return fmt.Sprintf("the columns are %s", heads)
	}
	return ""
}

// An inkReader knows where the words of pages are, by pdftotext, and their ink, by the
// pictures that the pages of the viewer show.
type inkReader struct {
	t     *testing.T
	v     *viewed
	base  string
	pages map[string]*inkedPage // by address
}

type inkedPage struct {
	picture image.Image
	words   map[string][4]float64 // left, top, right and bottom, as fractions
}

var (
	pageSize = regexp.MustCompile(`<page width="([0-9.]+)" height="([0-9.]+)">`)
	wordBox  = regexp.MustCompile(`<word xMin="([0-9.]+)" yMin="([0-9.]+)" xMax="([0-9.]+)" yMax="([0-9.]+)">([^<]+)</word>`)
	onPage   = regexp.MustCompile(`^doc://([^#]+)#pages=([0-9]+)$`)
)

// page returns the ink and the words of a page, which are all different.
func (r *inkReader) page(address string) *inkedPage {
	r.t.Helper()
	if p := r.pages[address]; p != nil {
		return p
	}
	at := onPage.FindStringSubmatch(address)
	data := r.v.get(r.t, "/v1/pictures/"+url.PathEscape(address)+"?side=2000")
	picture, _, err := image.Decode(strings.NewReader(string(data)))
	if err != nil {
		r.t.Fatal(err)
	}
	p := &inkedPage{picture: picture, words: make(map[string][4]float64)}
	bbox, err := exec.Command(sharedtest.Tool(r.t, "pdftotext"), "-bbox", "-f", at[2], "-l", at[2], filepath.Join(r.base, at[1]+".pdf"), "-").Output()
	if err != nil {
		r.t.Fatal(err)
	}
	size := numbers(pageSize.FindStringSubmatch(string(bbox))[1:])
	if bounds := picture.Bounds(); (size[0] > size[1]) != (bounds.Dx() > bounds.Dy()) {
		size[0], size[1] = size[1], size[0] // it tells the size before the page is turned
	}
	for _, w := range wordBox.FindAllStringSubmatch(string(bbox), -1) {
		at := numbers(w[1:5])
		p.words[w[5]] = [4]float64{at[0] / size[0], at[1] / size[1], at[2] / size[0], at[3] / size[1]}
	}
	if len(p.words) < 100 {
		r.t.Fatalf("pdftotext finds %d words on %s", len(p.words), address)
	}
	r.pages[address] = p
	return p
}

func numbers(texts []string) (values []float64) {
	for _, text := range texts {
		value, _ := strconv.ParseFloat(text, 64)
		values = append(values, value)
	}
	return values
}

// compare returns what is wrong with the boxes over the picture of a page: ink of the quote
// outside of them, or ink of other words in them.
func (r *inkReader) compare(address string, quote []string, page markedPage) string {
	p := r.page(address)
	for _, box := range page.Boxes {
		picture, err := url.PathUnescape(box.Picture)
		_, rest, of := strings.Cut(picture, "/"+address)
		if err != nil || box.Lost || !of || !strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "&v=") {
			return fmt.Sprintf("a mark is not over the picture of the page, but over %q", box.Picture)
		}
	}
	bounds := p.picture.Bounds()
	in := func(x, y int, slack float64) bool {
		return slices.ContainsFunc(page.Boxes, func(m struct {
			Picture, Mark string
			Lost          bool
			Box           [4]float64
		}) bool {
			fx, fy := float64(x)+0.5, float64(y)+0.5
			w, h := float64(bounds.Dx()), float64(bounds.Dy())
			return fx > m.Box[0]*w-slack && fx < (m.Box[0]+m.Box[2])*w+slack && fy > m.Box[1]*h-slack && fy < (m.Box[1]+m.Box[3])*h+slack
		})
	}
	var problem string
	for word, at := range p.words {
		own := slices.Contains(quote, word)
		ink, outside, inside := 0, 0, 0
		for y := int(at[1] * float64(bounds.Dy())); y < int(math.Ceil(at[3]*float64(bounds.Dy()))); y++ {
			for x := int(at[0] * float64(bounds.Dx())); x < int(math.Ceil(at[2]*float64(bounds.Dx()))); x++ {
				red, green, blue, _ := p.picture.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
				if red+green+blue > 3*0x8000 {
					continue
				}
				ink++
				if !in(x, y, 1.5) {
					outside++
				}
				if in(x, y, -1.5) {
					inside++
				}
			}
		}
		switch {
		case own && ink < 20:
			problem = fmt.Sprintf("the picture shows no ink of %q", word)
		case own && outside > 0:
			problem = fmt.Sprintf("%d of %d pixels of %q are not marked", outside, ink, word)
		case !own && inside > 0:
			problem = fmt.Sprintf("%d of %d pixels of %q are marked", inside, ink, word)
		}
	}
	return problem
}

// TestViewerTypes checks the types in the scripts of the pages.
func TestViewerTypes(t *testing.T) {
	sharedtest.Once(t)
	modules, _ := sharedtest.Browser(t)
	assets := filepath.Join("..", "..", "..", "viewer", "assets")
	err := filepath.WalkDir(assets, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			sharedtest.Read(t, path) // so that a changed script is checked again
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join("testdata", "browser", "tsconfig.json")
	sharedtest.Read(t, project)
	out, err := exec.CommandContext(t.Context(), sharedtest.Tool(t, "node"), filepath.Join(modules, "typescript", "bin", "tsc"), "--project", project, "--pretty", "false").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// viewPictures makes the pictures of docs/viewer.md, of the samples that the first command of
// the README reads.
func viewPictures(t *testing.T, b *browser) {
	const most = 120 << 10 // bytes of each
	base := filepath.Join(t.TempDir(), "tides")
	if err := os.CopyFS(base, os.DirFS(filepath.Join("..", "..", "..", "examples", "quickstart", "samples"))); err != nil {
		t.Fatal(err)
	}
	runIngest(t, base, ".")
	v := b.view(t, base)
	shots := []map[string]any{
		{"name": "viewer-library.png", "path": "/view/"},
		{"name": "viewer-page.png", "path": viewer.Link("", "doc://guide#pages=3", "At new and full moon both pull along one line and the range is widest: spring tide.")},
		{"name": "viewer-search.png", "path": "/view/-/search?q=" + url.QueryEscape("spring tide"), "dark": true},
		{"name": "viewer-ask.png", "path": "/view/-/ask?q=" + url.QueryEscape("When is the range widest?"), "width": 800, "height": 420},
		{"name": "viewer-phone.png", "path": viewer.Link("", "text://notes#lines=22-25", "Ring the bell twice when you arrive"), "width": 390, "height": 700},
	}
	var got struct{ Pictures []string }
	b.run(t, "pictures", map[string]any{"site": v, "shots": shots}, &got)
	for i, shot := range shots {
		data, err := base64.StdEncoding.DecodeString(got.Pictures[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > most {
			t.Errorf("%s: %v, %d bytes", shot["name"], err, len(data))
		}
		path := filepath.Join("..", "..", "..", "docs", "pictures", shot["name"].(string))
		if *update {
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
		} else if _, err := os.Stat(path); err != nil {
			t.Errorf("%v; go test ./internal/test/e2e -run TestViewer/pictures -update makes it", err)
		}
	}
}
