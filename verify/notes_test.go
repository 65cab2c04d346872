package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// A signReader reads an image with one block of two lines, the words of which have
// boxes of a fifth of the width. It cannot read a box if it has no boxes of words.
type signReader struct {
	citekit.Resolver
	wordless bool
}

func (r signReader) ReadText(_ context.Context, _ *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		run := citekit.TextRun{Text: "the shop opens at ten\nand closes at noon\n", Location: citekit.Location{Modality: citekit.Image, Box: citekit.Box{X1: 0, Y1: .4, X2: 1, Y2: .6}}}
		switch {
		case loc.IsWhole():
			yield(run, nil)
		case r.wordless:
			yield(citekit.TextRun{}, fmt.Errorf("words of a box: %w", errors.ErrUnsupported))
		default:
			if run.Text = wordsIn(loc.Box, run.Text); run.Text != "" {
				run.Location.Box = loc.Box
				yield(run, nil)
			}
		}
	}
}

func wordsIn(box citekit.Box, text string) string {
	var all strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var words []string
		for k, w := range strings.Fields(line) {
			x, y := .2*float64(k)+.1, .45+.1*float64(i)
			if box.X1 <= x && x < box.X2 && box.Y1 <= y && y < box.Y2 {
				words = append(words, w)
			}
		}
		if len(words) > 0 {
			all.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return all.String()
}

// TestBoxOfImage checks that words beside the cited box of an image do not hold, and
// that a verdict says so if it is not known whether they are in it.
func TestBoxOfImage(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	larger := "the words are in a larger block of text; whether they are in the cited box is not known"
	for _, c := range []struct {
		quote, box string
		class      verify.Class
		note       string
		wordless   string // the note if words have no boxes; the class is then exact
	}{
		{"the shop opens at ten and closes", "0,0.4,1,0.6", verify.Exact, "the layout differs: white space", "the layout differs: white space"},
		{"the shop opens at ten", "0.005,0.405,0.995,0.595", verify.Exact, "", ""},
		{"the shop opens at ten", "0,0.4,1,0.5", verify.Exact, "", larger},
		{"shop opens", "0.2,0.4,0.6,0.5", verify.Exact, "", larger},
		{"the shop opens", "0.2,0.4,0.6,0.5", verify.Elsewhere, "the source has “shop opens” there", larger},
		{"closes at noon", "0,0.4,1,0.5", verify.Elsewhere, "the source has “the shop opens at ten” there", larger},
		{"the shop opens at ten", "0.3,0.59,0.31,0.7", verify.Elsewhere, "the cited place has none of these words", larger},
	} {
		for _, wordless := range []bool{false, true} {
			ws := workspace.NewMemory(nil)
			ws.AddSource("sign.png", picture.Bytes())
			lib := citekit.New(ws, citekit.Resolvers{citekit.Image: signReader{new(text.Resolver), wordless}}, nil)
			defer lib.Close()
			if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "sign", Type: citekit.Image, SourcePath: "sign.png"}); err != nil {
				t.Fatal(err)
			}
			s := &shelf{Library: lib, Verifier: verify.New(lib, nil)}
			class, note := c.class, c.note
			if wordless {
				if note = c.wordless; class == verify.Elsewhere {
					class = verify.Exact
				}
			}
			if v := s.quote(t, c.quote, "image://sign#bbox="+c.box); v.Class != class || strings.Join(v.Notes, "|") != note {
				t.Errorf("%q at %s, boxes of words %t: %s, %q; want %s, %q", c.quote, c.box, !wordless, v.Class, v.Notes, class, note)
			}
		}
	}
}

// TestTimeWithinSubtitle checks that a verdict says so if a subtitle goes on beyond
// the cited time, and shows what is said at a short one.
func TestTimeWithinSubtitle(t *testing.T) {
	s := newShelf(t, map[string]string{
		"clock.wav": silence(20),
		"clock.srt": "1\n00:00:01,500 --> 00:00:09,000\nIt is one o'clock now.\n\n2\n00:00:09,000 --> 00:00:12,000\nIt is nine o'clock now.\n",
	})
	for _, c := range []struct {
		quote, time string
		class       verify.Class
		notes       []string
	}{
		{"It is one o'clock now.", "1.5-9", verify.Exact, nil},
		{"It is one o'clock now.", "2-9", verify.Exact, nil},
		{"It is one o'clock now.", "1-", verify.Exact, nil},
		{"It is one o'clock now.", "8.8-9", verify.Exact, []string{"the words are in subtitles of 1.5-9 s; whether they fall into 8.8-9 s is not known"}},
		{"It is one o'clock now.", "5-", verify.Exact, []string{"the words are in subtitles of 1.5-9 s; whether they fall into 5- s is not known"}},
		{"It is one o'clock now.", "9-12", verify.Elsewhere, nil},
		{"A cuckoo calls", "9-12", verify.NotFound, []string{"the source has “It is nine o'clock now.” there"}},
	} {
		v := s.quote(t, c.quote, "audio://clock-wav#t="+c.time)
		data, err := json.Marshal(v)
		if err != nil || v.Class != c.class || !slices.Equal(v.Notes, c.notes) || strings.Contains(string(data), `"notes":[`) != (len(c.notes) > 0) {
			t.Errorf("%q at %s: %s, %v; want %s, %q", c.quote, c.time, data, err, c.class, c.notes)
		}
	}
	report, err := s.Text(t.Context(), "Someone sings [audio://clock-wav#t=9-12].", nil)
	if err != nil || len(report.Entries) != 1 || report.Entries[0].Class != verify.Unquoted || report.Entries[0].Notes != nil {
		t.Errorf("a claim: %+v, %v", report, err)
	}
}

// TestWhatCellsHave checks that a verdict shows what cells have in place of a quote,
// also if that is written as another program shows it.
func TestWhatCellsHave(t *testing.T) {
	s := newShelf(t, map[string]string{"sums.csv": "name,share\nfirst,35.3%\nsecond,64.7%\n"})
	for _, c := range []struct {
		quote, at string
		class     verify.Class
		note      string
	}{
		{"35,3 %", "rows=2&cols=share", verify.NotFound, "the source has “35.3%” there"},
		{"nowhere at all", "rows=2", verify.NotFound, "the source has “first,35.3%” there"},
		{"35.3%", "rows=2&cols=share", verify.Exact, ""},
		{"nowhere at all", "", verify.NotFound, ""},
	} {
		address := "text://sums"
		if c.at != "" {
			address += "#" + c.at
		}
		if v := s.quote(t, c.quote, address); v.Class != c.class || strings.Join(v.Notes, "|") != c.note {
			t.Errorf("%q at %s: %s, %q; want %s, %q", c.quote, address, v.Class, v.Notes, c.class, c.note)
		}
	}
}

// workbook returns an XLSX with one sheet, S, of rows.
func workbook(t *testing.T, rows string) string {
	t.Helper()
	const (
		head = `<?xml version="1.0"?>`
		main = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
		rels = `http://schemas.openxmlformats.org/package/2006/relationships`
		to   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		kind = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
	)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="` + kind + `sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + kind + `worksheet+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + rels + `"><Relationship Id="rId1" Type="` + to + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + main + `" xmlns:r="` + to + `"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + rels + `"><Relationship Id="rId1" Type="` + to + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<worksheet xmlns="` + main + `"><sheetData>` + rows + `</sheetData></worksheet>`},
	} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = io.WriteString(w, head+part[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFormulaWithoutValue checks that a verdict says why a formula, whose value the file
// does not store, has no text.
func TestFormulaWithoutValue(t *testing.T) {
	s := newShelf(t, map[string]string{"sums.xlsx": workbook(t, `<row r="1"><c r="A1"><v>900</v></c><c r="B1"><f>A1*2</f></c><c r="C1"><f>A1*3</f><v>2700</v></c></row>`)})
	for cell, note := range map[string]string{
		"A1": "the source has “900” there", "C1": "the source has “2700” there",
		"B1": "these cells have no text; a formula has the value that the file stores, and if a program wrote none, open the file in a spreadsheet program and save it",
	} {
		if v := s.quote(t, "1800", "doc://sums#sheet=S&cells="+cell); v.Class != verify.NotFound || strings.Join(v.Notes, "|") != note {
			t.Errorf("%s: %s, %q; want %q", cell, v.Class, v.Notes, note)
		}
	}
	if v := s.quote(t, "2700", "doc://sums#sheet=S&cells=A1"); v.Class != verify.Elsewhere || v.Address.Location.Cells.String() != "C1" {
		t.Errorf("%s, %s", v.Class, v.Address)
	}
}

// TestLayout checks that a quote which differs only in its layout is exact, and that a
// note lists the differences, at its address, elsewhere and anywhere.
func TestLayout(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.txt": "The kettle must\nbe emp-\ntied every week.\n\nChalk is bad.\n", "pot.txt": "A pot.\n"})
	for _, c := range []struct {
		quote, address string
		class          verify.Class
		note           string
	}{
		{"The kettle must be", "text://tea#lines=1-2", verify.Exact, "white space"},
		{"The kettle must be", "", verify.Exact, "white space"},
		{"The kettle must be", "text://pot", verify.Elsewhere, "white space"},
		{"be emptied every", "text://tea", verify.Exact, "hyphenation"},
		{"must be emptied", "text://tea", verify.Exact, "white space, hyphenation"},
		{"The  kettle must\nbe", "text://tea", verify.Exact, "white space"},
		{"The kettle must\nbe", "text://tea", verify.Exact, ""},
		{"the kettle must be", "text://tea", verify.Repaired, ""},
		{"Chalk is bad", "text://tea", verify.Exact, ""},
		{"The kettle mustbe", "text://tea", verify.Exact, "white space"},
		{"The kettle may be", "text://tea", verify.Altered, ""},
	} {
		v := s.quote(t, c.quote, c.address)
		note := ""
		for _, n := range v.Notes {
			if after, ok := strings.CutPrefix(n, "the layout differs: "); ok {
				note = after
			}
		}
		if v.Class != c.class || note != c.note || (len(v.Repairs) > 0) != (c.class == verify.Repaired) {
			t.Errorf("%q at %q: %s, %q, %v; want %s, %q", c.quote, c.address, v.Class, v.Notes, v.Repairs, c.class, c.note)
		}
	}
}
