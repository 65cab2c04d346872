package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// A shownPage is what poppler says of a page: its text, and the part of it that pictures
// cover.
type shownPage struct {
	text  string
	area  float64 // square points
	cover float64
}

// state judges a page by what poppler says.
func (p shownPage) state() string {
	visible, written, odd := 0, 0, 0
	for _, r := range p.text {
		switch {
		case unicode.IsSpace(r):
			continue
		case unicode.Is(unicode.Co, r), r == unicode.ReplacementChar, unicode.IsControl(r):
			odd++
		case unicode.IsLetter(r), unicode.IsDigit(r):
			written++
		}
		visible++
	}
	switch {
	case visible >= 20 && 5*odd > visible:
		return about.TextDamaged
	case p.cover >= .5 && visible < 150 && written > 0:
		return about.TextPartial
	case written == 0 && p.cover >= .05:
		return about.TextNone
	}
	return about.TextFull
}

var (
	pageSize  = regexp.MustCompile(`Page +(\d+) size: +([\d.]+) x ([\d.]+) pts`)
	imageLine = regexp.MustCompile(`(?m)^ *(\d+) +\d+ (?:image|stencil) +(\d+) +(\d+) .* (\d+) +(\d+) +\S+ +\S+$`)
)

// shownPages asks poppler about the first pages of a file; nil if it cannot read it.
func shownPages(t *testing.T, path string, most int) []shownPage {
	t.Helper()
	last := strconv.Itoa(most)
	ask := func(program string, args ...string) string {
		out, err := exec.Command(sharedtest.Tool(t, program), args...).Output()
		if err != nil {
			return ""
		}
		return string(out)
	}
	sizes := pageSize.FindAllStringSubmatch(ask("pdfinfo", "-f", "1", "-l", last, path), -1)
	texts := strings.Split(ask("pdftotext", "-l", last, path, "-"), "\f")
	pages := make([]shownPage, min(len(sizes), len(texts)))
	number := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
	for i := range pages {
		pages[i] = shownPage{text: texts[i], area: number(sizes[i][2]) * number(sizes[i][3])}
	}
	for _, m := range imageLine.FindAllStringSubmatch(ask("pdfimages", "-list", "-l", last, path), -1) {
		i, x, y := int(number(m[1]))-1, number(m[4]), number(m[5])
		if i < 0 || i >= len(pages) || x < 20 || y < 20 {
			continue
		}
		pages[i].cover = min(pages[i].cover+number(m[2])/x*number(m[3])/y*72*72/pages[i].area, 1)
	}
	return pages
}

// statesOf returns the states of the first pages of a file, as read, and as in the map.
func statesOf(t *testing.T, r *pdf.Resolver, data []byte, most int) (read, mapped []string, err error) {
	t.Helper()
	src := source(data)
	extent, err := r.Measure(t.Context(), src)
	if err != nil {
		return nil, nil, err
	}
	for run, err := range r.ReadText(t.Context(), src, pages(1, min(extent.Pages, most))) {
		if err != nil {
			return nil, nil, err
		}
		read = append(read, run.TextState)
	}
	draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		return nil, nil, err
	}
	for range read {
		mapped = append(mapped, about.TextFull)
	}
	for state, pages := range about.ReadTextStates(draft.Metadata) {
		for _, run := range pages {
			for i := run[0]; i <= min(run[1], len(read)); i++ {
				mapped[i-1] = state
			}
		}
	}
	return read, mapped, nil
}

// pdfsFor returns the PDFs of the corpus and those in the folder that CITEKIT_PDFS names.
func pdfsFor(t *testing.T) (files []string) {
	t.Helper()
	folders := []string{filepath.Dir(sharedtest.Corpus(t, "pdf/linearized-3p.pdf"))}
	if dir := os.Getenv("CITEKIT_PDFS"); dir != "" {
		folders = append(folders, dir)
	}
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) == ".pdf" {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// A stateTally counts right states.
type stateTally struct{ right, all int }

func (c *stateTally) add(right bool) {
	if c.all++; right {
		c.right++
	}
}

func (c stateTally) share() float64 { return float64(c.right) / float64(max(c.all, 1)) }

func (c stateTally) String() string { return fmt.Sprintf("%d of %d (%.4f)", c.right, c.all, c.share()) }

const (
	judgedPages = 12 // of a file, at most
	minJudged   = .98
)

// TestTextStatesLikePoppler compares the states of the pages of real files with what
// poppler draws and reads; of made scans of their pages, all must be called so.
func TestTextStatesLikePoppler(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("reads thousands of pages: only with CITEKIT_LONG")
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t), MaxFigurePages: judgedPages, MaxHeadingPages: judgedPages} // both ways to map a document
	var read, mapped, scans stateTally
	kinds := make(map[string]int)
	for i, path := range pdfsFor(t) {
		shown := shownPages(t, path, judgedPages)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		states, inMap, err := statesOf(t, r, data, judgedPages)
		if err != nil || len(states) != len(shown) {
			t.Logf("%s: left out: %d pages, %d by poppler, %v", path, len(states), len(shown), err)
			continue
		}
		for n, page := range shown {
			want := page.state()
			kinds[want]++
			read.add(states[n] == want)
			mapped.add(inMap[n] == want)
			if states[n] != want || inMap[n] != want {
				t.Logf("%s page %d: %s read, %s mapped; by poppler %s: %d bytes, cover %.2f", path, n+1, states[n], inMap[n], want, len(strings.TrimSpace(page.text)), page.cover)
			}
		}
		if i%6 != 0 || len(shown) == 0 || shown[0].state() != about.TextFull || len(strings.TrimSpace(shown[0].text)) == 0 {
			continue
		}
		for _, how := range scanKinds {
			made := scanOf(t, path, 1, how)
			states, inMap, err := statesOf(t, r, made, 1)
			ok := err == nil && slices.Equal(states, []string{how.want}) && slices.Equal(inMap, states)
			if scans.add(ok); !ok {
				t.Errorf("%s as %s: %v read, %v mapped, %v", path, how.name, states, inMap, err)
			}
		}
	}
	t.Logf("by poppler: %v; read %v, mapped %v; scans %v", kinds, read, mapped, scans)
	if read.share() < minJudged || mapped.share() < minJudged {
		t.Errorf("right states: read %v, mapped %v", read, mapped)
	}
}

// A scanKind is a way to make a scan.
type scanKind struct {
	name, want string
	dpi        int
	filter     string // "" packs the pixels
	content    string // drawn after the picture
	strips     int
}

var scanKinds = []scanKind{
	{name: "grey", want: about.TextNone, dpi: 100},
	{name: "JPEG", want: about.TextNone, dpi: 150, filter: "DCTDecode"},
	{name: "grey in strips", want: about.TextNone, dpi: 100, strips: 40},
	{name: "grey with a stamp", want: about.TextPartial, dpi: 100, content: "BT /F1 10 Tf 20 20 Td (Received 12 May) Tj ET"},
	{name: "grey over recognised words", want: about.TextFull, dpi: 100,
		content: "BT 3 Tr /F1 10 Tf 20 20 Td 12 TL" + strings.Repeat(" (The words of a page that somebody recognised before) '", 8) + " ET"},
}

// scanOf returns a PDF of a picture of a page.
func scanOf(t *testing.T, path string, page int, how scanKind) []byte {
	t.Helper()
	grey, err := exec.Command(sharedtest.Tool(t, "pdftoppm"), "-r", strconv.Itoa(how.dpi), "-gray", "-f", strconv.Itoa(page), "-l", strconv.Itoa(page), path).Output()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var width, height, most int
	if _, err := fmt.Sscanf(string(grey[:min(len(grey), 40)]), "P5\n%d %d\n%d\n", &width, &height, &most); err != nil {
		t.Fatal(err)
	}
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	add := func(data []byte, rows int, filter string) int {
		entries := fmt.Sprintf("/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Width %d /Height %d", width, rows)
		if filter == "" {
			return f.Deflate(entries, data)
		}
		return f.Stream(entries+" /Filter /"+filter, data)
	}
	pixels := grey[len(grey)-width*height:]
	w, h := float64(width)*72/float64(how.dpi), float64(height)*72/float64(how.dpi)
	var content, objects strings.Builder
	each := height
	if how.strips > 0 {
		each = (height + how.strips - 1) / how.strips
	}
	for top := 0; top < height; top += each {
		rows := min(each, height-top)
		data := pixels[top*width : (top+rows)*width]
		if how.filter != "" {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, &image.Gray{Pix: data, Stride: width, Rect: image.Rect(0, 0, width, rows)}, nil); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		fmt.Fprintf(&objects, "/I%d %d 0 R ", top, add(data, rows, how.filter))
		fmt.Fprintf(&content, "q %.3f 0 0 %.3f 0 %.3f cm /I%d Do Q ", w, h*float64(rows)/float64(height), h*float64(height-top-rows)/float64(height), top)
	}
	drawn := f.Stream("", []byte(content.String()+how.content))
	one := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %.3f %.3f] /Contents %d 0 R /Resources << /XObject << %s>> /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		tree, w, h, drawn, objects.String())
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", one)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}
