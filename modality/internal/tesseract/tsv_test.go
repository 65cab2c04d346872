package tesseract

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
)

const answer = `level	page_num	block_num	par_num	line_num	word_num	left	top	width	height	conf	text
1	1	0	0	0	0	0	0	200	100	-1	
2	1	1	0	0	0	20	10	100	50	-1	
3	1	1	1	0	0	20	10	100	20	-1	
4	1	1	1	1	0	20	10	100	10	-1	
5	1	1	1	1	1	20	10	40	10	90.5	Rain
5	1	1	1	1	2	70	10	50	10	30	fell
4	1	1	1	2	0	20	20	100	10	-1	
5	1	1	1	2	1	20	20	40	10	60	again
3	1	1	2	0	0	20	40	100	20	-1	
4	1	1	2	1	0	20	40	100	20	-1	
5	1	1	2	1	1	20	40	40	10	60	in May.
2	1	2	0	0	0	0	90	200	10	-1	
3	1	2	1	0	0	0	90	200	10	-1	
4	1	2	1	1	0	0	90	200	10	-1	
5	1	2	1	1	1	0	90	200	10	95	 
`

func TestParse(t *testing.T) {
	got, err := parse([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{{
		Box:        citekit.Box{X1: .1, Y1: .1, X2: .6, Y2: .6},
		Text:       "Rain fell\nagain\n\nin May.",
		Confidence: (90.5*4 + 30*4 + 60*5 + 60*7) / 20,
		Lines: []Line{
			{Box: citekit.Box{X1: .1, Y1: .1, X2: .6, Y2: .2}, Text: "Rain fell", Confidence: 60.25, Words: []Word{
				{citekit.Box{X1: .1, Y1: .1, X2: .3, Y2: .2}, "Rain"}, {citekit.Box{X1: .35, Y1: .1, X2: .6, Y2: .2}, "fell"},
			}},
			{Box: citekit.Box{X1: .1, Y1: .2, X2: .6, Y2: .3}, Text: "again", Confidence: 60, Words: []Word{{citekit.Box{X1: .1, Y1: .2, X2: .3, Y2: .3}, "again"}}},
			{Box: citekit.Box{X1: .1, Y1: .4, X2: .6, Y2: .6}, Text: "in May.", Confidence: 60, Paragraph: 1, Words: []Word{{citekit.Box{X1: .1, Y1: .4, X2: .3, Y2: .5}, "in May."}}},
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseDamaged(t *testing.T) {
	for _, test := range []struct{ name, answer string }{
		{"prose", "Rain fell in May.\n"},
		{"few columns", "1\t1\t0\t0\n"},
		{"unknown level", "6\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n"},
		{"no number", "1\t1\t0\t0\t0\t0\tx\t0\t9\t9\t-1\t\n"},
		{"not a number", "1\t1\t0\t0\t0\t0\t0\t0\tNaN\t9\t-1\t\n"},
		{"page without size", "1\t1\t0\t0\t0\t0\t0\t0\t0\t0\t-1\t\n"},
		{"word before the page", "5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t90\tRain\n"},
	} {
		if _, err := parse([]byte(test.answer)); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: got error %v, want one matching ErrFormat", test.name, err)
		}
	}
}

func TestValidLanguages(t *testing.T) {
	for languages, want := range map[string]bool{
		"": true, "eng": true, "deu+eng": true, "chi_sim": true, "script/Latin": true,
		"+": false, "eng+": false, "../eng": false, "/etc/eng": false, "eng fra": false, "--psm": false, "-l": false,
	} {
		if got := validLanguages(languages); got != want {
			t.Errorf("validLanguages(%q) = %v, want %v", languages, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(answer))
	f.Add([]byte("1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\n5\t1\t1\t1\t1\t1\t-1e300\t0\t1e300\t9\t1e9\t\xff\u202e"))
	f.Fuzz(func(t *testing.T, out []byte) {
		blocks, err := parse(out)
		if err != nil {
			if !errors.Is(err, citekit.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		for _, block := range blocks {
			checkBox(t, block.Box)
			if block.Text == "" || len(block.Lines) == 0 || math.IsNaN(block.Confidence) {
				t.Fatalf("a block without text: %+v", block)
			}
			for _, line := range block.Lines {
				checkBox(t, line.Box)
				if line.Text == "" || strings.ContainsAny(line.Text, "\n\r\x00") || !(line.Confidence >= 0 && line.Confidence <= 100) {
					t.Fatalf("line %+v", line)
				}
			}
		}
	})
}

func checkBox(t *testing.T, box citekit.Box) {
	t.Helper()
	if err := (citekit.Location{Modality: citekit.Image, Box: box}).Validate(); err != nil || box.IsZero() {
		t.Fatalf("box %v: %v", box, err)
	}
}
