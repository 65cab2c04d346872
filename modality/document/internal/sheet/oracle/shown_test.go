package oracle

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/sheet"
	"github.com/citekit/citekit/modality/document/internal/sheet/internal/numfmt"
)

// agreed are formats that both show alike, whatever the value.
var agreed = []string{
	"0", "0.00", "#,##0", "#,##0.00", "0%", "0.00%", "0.00E+00", "@", "00000", "0.0", "$#,##0.00", `0" kg"`, `#,##0.00\ [$€-407]`,
	"yyyy-mm-dd", "d-mmm-yy", "mmm-yy", "dd/mm/yyyy", "h:mm:ss", "hh:mm AM/PM", "dddd, mmmm dd, yyyy", "yyyy-mm-dd hh:mm:ss", "[h]:mm",
	";;;", `#,##0_);\(#,##0\)`, "0.00;[Red]-0.00",
}

var agreedValues = []any{1, 7.25, 12345.75, 44197.5, 0.125, 36526, "text", -0.001, -12.5, true}

// TestShownAlike compares what shows in cells of each format and value. Values
// below zero are none of dates.
func TestShownAlike(t *testing.T) {
	f := excelize.NewFile()
	for i, code := range agreed {
		for k, value := range agreedValues {
			if v, ok := value.(float64); ok && v < 0 && dates.MatchString(bare(code)+code) {
				continue
			}
			put(t, f, k+1, i+1, code, value)
		}
	}
	n := 0
	for d := range differences(t, pack(t, f), &n) {
		t.Errorf("%s of %s: %q, excelize %q", d.code, d.raw, d.ours, d.theirs)
	}
	if n < 180 {
		t.Errorf("%d cells are compared", n)
	}
}

// TestFamilies checks what shows where excelize is not followed. When it shows
// the same in a later version, its family is no more.
func TestFamilies(t *testing.T) {
	for _, family := range families {
		t.Run(family.name, func(t *testing.T) {
			f := excelize.NewFile()
			if family.name == "days from 1904" {
				yes := true
				if err := f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}); err != nil {
					t.Fatal(err)
				}
			}
			for i, e := range family.examples {
				put(t, f, 1, i+1, e.code, e.raw)
			}
			shown, n := make(map[string]difference), 0
			for d := range differences(t, pack(t, f), &n) {
				shown[d.code+" "+d.raw] = d
				if found := familyOf(d); found == nil || found.name != family.name {
					t.Errorf("%s of %s is in another family: %+v", d.code, d.raw, found)
				}
			}
			if len(shown) != len(family.examples) {
				t.Errorf("excelize differs in %d of %d examples (%s): %+v", len(shown), len(family.examples), family.why, shown)
			}
			for _, e := range family.examples {
				found := false
				for key, d := range shown {
					found = found || strings.HasPrefix(key, e.code+" ") && d.ours == e.want
				}
				if !found {
					t.Errorf("%s of %v does not show %q: %+v", e.code, e.raw, e.want, shown)
				}
			}
		})
	}
}

// put writes a value with a number format.
func put(t *testing.T, f *excelize.File, col, row int, code string, value any) {
	t.Helper()
	cell, err := excelize.CoordinatesToCellName(col, row)
	if err != nil {
		t.Fatal(err)
	}
	style := &excelize.Style{CustomNumFmt: &code}
	switch code {
	case "General":
		style = &excelize.Style{Font: &excelize.Font{Bold: true}} // one without a style is stored text for excelize
	case "m/d/yyyy h:mm":
		style = &excelize.Style{NumFmt: 22}
	}
	id, err := f.NewStyle(style)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellValue("Sheet1", cell, value); err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellStyle("Sheet1", cell, cell, id); err != nil {
		t.Fatal(err)
	}
}

// differences yields the cells of a workbook that show in other ways, and counts
// those it compares.
func differences(t *testing.T, data []byte, n *int) func(yield func(difference) bool) {
	return func(yield func(difference) bool) {
		f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{ShortDatePattern: "m/d/yyyy"})
		if err != nil {
			return
		}
		defer f.Close()
		props, err := f.GetWorkbookProps()
		if err != nil {
			t.Fatal(err)
		}
		since1904 := props.Date1904 != nil && *props.Date1904
		for _, name := range f.GetSheetList() {
			ours := ourText(t, data, name)
			theirs, bad := f.GetRows(name)
			raw, worse := f.GetRows(name, excelize.Options{RawCellValue: true})
			if bad != nil || worse != nil {
				continue // a sheet of charts
			}
			for i, row := range raw {
				for k, value := range row {
					if value == "" {
						continue
					}
					*n++
					shown := ""
					if i < len(theirs) && k < len(theirs[i]) {
						shown = inOneLine(theirs[i][k])
					}
					cell := citekit.Cell{Col: int32(k + 1), Row: int32(i + 1)}
					if shown != ours[cell] && !yield(newDifference(codeOf(f, name, cell), since1904, value, ours[cell], shown)) {
						return
					}
				}
			}
		}
	}
}

// ourText returns what the cells of a sheet show.
func ourText(t *testing.T, data []byte, name string) cells {
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.xlsx", Size: int64(len(data))})
	shown := make(cells)
	for run, err := range new(sheet.Resolver).ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document, Sheet: name}) {
		if err != nil {
			break
		}
		at := run.Location.Cells.First
		for i, text := range strings.Split(strings.TrimSuffix(run.Text, "\n"), "\t") {
			shown[citekit.Cell{Col: at.Col + int32(i), Row: at.Row}] = text
		}
	}
	return shown
}

func inOneLine(s string) string {
	s = strings.ReplaceAll(s, "\r\n", " ")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}

// codeOf returns the number format of a cell.
func codeOf(f *excelize.File, name string, cell citekit.Cell) string {
	id, err := f.GetCellStyle(name, cell.String())
	if err != nil {
		return ""
	}
	style, err := f.GetStyle(id)
	if err != nil {
		return ""
	}
	if style.CustomNumFmt != nil {
		return *style.CustomNumFmt
	}
	return numfmt.Builtin(style.NumFmt)
}
