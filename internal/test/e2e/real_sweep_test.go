package e2e

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A fact is what independent programs said of a file of the corpus.
type fact struct {
	File string `json:"file"`

	QpdfPages    int `json:"qpdf_pages"`
	PopplerPages int `json:"poppler_pages"`
	MutoolPages  int `json:"mutool_pages"`

	Decoded float64 `json:"decoded_seconds"`
	Streams []struct{ Type, Codec string }
	Packets map[string]struct{ End float64 }

	Displayed []int `json:"displayed_size"`

	Lines int `json:"lines"`
}

// A trial is what the sweep asks for in each file of a kind.
type trial struct {
	part, beyond location
	// damaged are files that may be refused, and what the refusal must say.
	damaged map[string]string
	check   func(t *testing.T, f fact, part, whole, beyond answer)
}

// bound finds the extent of a source in a range error.
var bound = regexp.MustCompile(` of ([0-9.]+)[; ]`)

func boundIn(t *testing.T, a answer) float64 {
	t.Helper()
	found := bound.FindStringSubmatch(a.failure)
	if found == nil {
		t.Errorf("%v names no bounds: %s", a, a.failure)
		return math.NaN()
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Error(err)
	}
	return value
}

// sweep resolves, in every file of a kind, a part, all of it, and what is not
// there.
func sweep(t *testing.T, kind string, modality func(fact) string, trial trial) {
	var facts []fact
	readJSON(t, sharedtest.Corpus(t, "truth/"+kind+".json"), &facts)
	c := cite(t, sharedtest.Corpus(t, "."))
	for _, f := range facts {
		copied := func(loc location) location {
			clone := location{}
			for k, v := range loc {
				clone[k] = v
			}
			return clone
		}
		c.add(modality(f), f.File, copied(trial.part), location{}, copied(trial.beyond))
	}
	answers := c.resolve()
	var table strings.Builder
	for i, f := range facts {
		part, whole, beyond := answers[3*i], answers[3*i+1], answers[3*i+2]
		fmt.Fprintf(&table, "%-45s part: %s; whole: %s; beyond: %s\n", f.File, part.outcome(), whole.outcome(), beyond.outcome())
		name := filepath.Base(f.File)
		if whole.failure == "" && !bytes.Equal(whole.data(t), fileData(t, whole.path)) {
			t.Errorf("%v: all of it is not the source", whole)
		}
		if want, ok := trial.damaged[name]; ok {
			if part.failure != "" && !strings.Contains(part.failure, want) {
				t.Errorf("%v is refused, but not for %q: %s", part, want, part.failure)
			}
			continue
		}
		if part.failure != "" || whole.failure != "" {
			t.Errorf("%s is refused: part: %s; whole: %s", name, part.failure, whole.failure)
			continue
		}
		trial.check(t, f, part, whole, beyond)
	}
	t.Logf("%s", table.String())
}

func fileData(t testing.TB, path string) []byte {
	t.Helper()
	return answer{OutputPath: path}.data(t)
}

// outcome is what a person reads in the table.
func (a answer) outcome() string {
	if a.failure == "" {
		return fmt.Sprintf("%d bytes %s", a.Size, a.MediaType)
	}
	line, _, _ := strings.Cut(a.failure, "\n")
	return a.code + " " + strings.TrimPrefix(line, "Error: ")
}

func always(modality string) func(fact) string { return func(fact) string { return modality } }

// TestSweepDocuments resolves a page of every PDF of the corpus.
func TestSweepDocuments(t *testing.T) {
	sweep(t, "pdf", always("document"), trial{
		part: location{"pages": []int{1}}, beyond: location{"pages": []int{77_777_777}},
		damaged: map[string]string{
			"encrypted-user-pw.pdf": "password", "encrypted-user-pw-aes256.pdf": "password",
			"corrupted.pdf": "", "not-a-pdf-5-bytes.pdf": "", "pages-tree-deep.pdf": "", "no-page-count.pdf": "", // qpdf refuses all four
		},
		check: func(t *testing.T, f fact, part, whole, beyond answer) {
			pages := int(boundIn(t, beyond))
			if f.PopplerPages > 0 && f.PopplerPages == f.QpdfPages && pages != f.QpdfPages {
				t.Errorf("%s has %d pages, not %d", f.File, f.QpdfPages, pages)
			}
			if n := strings.TrimSpace(string(output(t, "qpdf", "--show-npages", part.OutputPath))); n != "1" {
				t.Errorf("%v has %s pages", part, n)
			}
			if f.PopplerPages > 0 {
				comparePages(t, sourceText(t, part.path), part)
			}
		},
	})
}

// TestSweepMedia resolves half a second of every media file of the corpus.
func TestSweepMedia(t *testing.T) {
	modality := func(f fact) string {
		for _, s := range f.Streams {
			if s.Type == "video" && s.Codec != "mjpeg" && s.Codec != "png" {
				return "video"
			}
		}
		return "audio"
	}
	const slack = 0.06 // delays of encoders, which programs count or not
	sweep(t, "media", modality, trial{
		part: location{"start": 0, "end": 0.3}, beyond: location{"start": 500_000, "end": 500_001},
		damaged: map[string]string{
			"smallest.mp3": "", "garbage-prefix.mp3": "", "missing-stsd.mp4": "",
			"h264-first-pts-10s.mp4": "holds no frame", // its first ten seconds are empty
		},
		check: func(t *testing.T, f fact, part, whole, beyond answer) {
			got := boundIn(t, beyond)
			if math.Abs(got-f.Decoded) > slack && math.Abs(got-f.lastEnd()) > slack {
				t.Errorf("%s lasts %.3f s; decoded it is %.3f, by its packets %.3f", f.File, got, f.Decoded, f.lastEnd())
			}
		},
	})
}

// lastEnd returns the time at which the last packet ends.
func (f fact) lastEnd() float64 {
	end := 0.0
	for _, track := range f.Packets {
		end = max(end, track.End)
	}
	return end
}

// TestSweepImages crops every image of the corpus.
func TestSweepImages(t *testing.T) {
	box := citekit.Box{X1: 0.25, Y1: 0.25, X2: 0.75, Y2: 0.625}
	sweep(t, "image", always("image"), trial{
		part: location{"bbox": []float64{box.X1, box.Y1, box.X2, box.Y2}}, beyond: location{"bbox": []float64{0, 0, 1.5, 1}},
		damaged: map[string]string{"bomb.gif": "", "corrupt-header.jpg": "", "truncated.jpg": "", "truncated.png": "", "avif.avif": ""},
		check: func(t *testing.T, f fact, part, whole, beyond answer) {
			x1, y1, x2, y2 := box.Pixels(f.Displayed[0], f.Displayed[1])
			want := fmt.Sprintf("%dx%d", x2-x1, y2-y1)
			if got := strings.TrimSpace(string(output(t, sharedtest.Convert(t), part.OutputPath+"[0]", "-auto-orient", "-format", "%wx%h", "info:"))); got != want {
				t.Errorf("%v is %s, not %s", part, got, want)
			}
		},
	})
}

// TestSweepText resolves the first line of every text of the corpus.
func TestSweepText(t *testing.T) {
	sweep(t, "text", always("text"), trial{
		part: location{"lines": []int{1, 1}}, beyond: location{"lines": []int{1, 77_777_777}},
		damaged: map[string]string{"empty.txt": "the source has no lines"},
		check: func(t *testing.T, f fact, part, whole, beyond answer) {
			if lines := int(boundIn(t, beyond)); lines != f.Lines {
				t.Errorf("%s has %d lines, not %d", f.File, f.Lines, lines)
			}
			if !bytes.HasPrefix(whole.data(t), part.data(t)) || part.Size == 0 {
				t.Errorf("%v: the first line is %.80q", part, part.data(t))
			}
		},
	})
}
