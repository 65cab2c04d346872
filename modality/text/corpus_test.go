package text_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text"
)

// A truth is what other programs say about a file of the corpus.
type truth struct {
	File     string            `json:"file"`
	Encoding string            `json:"encoding"`
	Lines    int               `json:"lines"`
	Probe    map[string]string `json:"line_probe"`
}

// charsets gives our name and iconv's for the encodings of the truth.
var charsets = map[string][2]string{
	"ascii": {"utf-8", "UTF-8"}, "utf-8": {"utf-8", "UTF-8"}, "utf-8-sig": {"utf-8", "UTF-8"},
	"utf-16-le (no bom)": {"utf-16le", "UTF-16LE"}, "utf-16-le+bom": {"utf-16le", "UTF-16LE"},
	"utf-16-be (no bom)": {"utf-16be", "UTF-16BE"}, "utf-32-le": {"utf-32le", "UTF-32LE"},
	"not-utf8 = latin-1": {"iso-8859-1", "ISO-8859-1"}, "not-utf8 = cp1252": {"windows-1252", "CP1252"},
	"not-utf8 = shift_jis": {"shift_jis", "CP932"},
}

func corpus(t *testing.T) (dir string, all []truth) {
	t.Helper()
	dir = sharedtest.Corpus(t, ".")
	data, err := os.ReadFile(filepath.Join(dir, "truth", "text.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return dir, all
}

func openFile(t testing.TB, path string) *citekit.Source {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return citekit.NewSource(f, citekit.SourceInfo{Name: filepath.Base(path), Size: info.Size(), Identity: path})
}

// TestCorpus compares every file with its truth: the encoding, the number of
// lines, and the text of some.
func TestCorpus(t *testing.T) {
	dir, all := corpus(t)
	r := new(text.Resolver)
	for _, want := range all {
		t.Run(want.File, func(t *testing.T) {
			src := openFile(t, filepath.Join(dir, filepath.FromSlash(want.File)))
			extent, err := r.Measure(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if extent.Lines != want.Lines || extent.Charset != charsets[want.Encoding][0] {
				t.Errorf("%+v, want %d lines in %s", extent, want.Lines, want.Encoding)
			}
			for number, probe := range want.Probe {
				checkProbe(t, r, src, number, probe)
			}
		})
	}
}

// maxProbe is how many characters of a line the truth has.
const maxProbe = 80

var tag = regexp.MustCompile(`<[^>]*>`)

func checkProbe(t *testing.T, r *text.Resolver, src *citekit.Source, number, want string) {
	t.Helper()
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for run, err := range r.ReadText(t.Context(), src, lines(n, n)) {
		if err != nil {
			t.Fatal(err)
		}
		got += run.Text
	}
	got = strings.TrimRight(got, "\r\n")
	if filepath.Ext(src.Name()) == ".html" {
		want = html.UnescapeString(tag.ReplaceAllString(want, "")) // what it shows
	}
	if strings.ContainsRune(want, '\ufffd') {
		return // the truth could not decode the line
	}
	if cut := []rune(got); len(cut) > maxProbe {
		got = string(cut[:maxProbe])
	}
	if strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
		t.Errorf("line %d is %q, want %q", n, got, want)
	}
}

// TestCorpusLikeSed compares ranges of lines with sed, after iconv where the
// units are not bytes. Only files that end lines with CR are left out.
func TestCorpusLikeSed(t *testing.T) {
	dir, all := corpus(t)
	sed, iconv := sharedtest.Tool(t, "sed"), sharedtest.Tool(t, "iconv")
	r := new(text.Resolver)
	for _, file := range all {
		path := filepath.Join(dir, filepath.FromSlash(file.File))
		src := openFile(t, path)
		for _, at := range ranges(file.Lines) {
			got, x, err := resolve(t.Context(), r, src, at)
			if err != nil {
				t.Fatalf("%s: %v", file.File, err)
			}
			if strings.Contains(file.File, "cr-only") {
				continue
			}
			var want []byte
			if strings.HasPrefix(x.Charset, "utf-16") || strings.HasPrefix(x.Charset, "utf-32") {
				name := charsets[file.Encoding][1]
				utf8 := command(t, nil, iconv, "-f", name, "-t", "UTF-8", path)
				cut := command(t, utf8, sed, "-n", fmt.Sprintf("%d,%dp", at.Lines.First, at.Lines.Last))
				want = command(t, cut, iconv, "-f", "UTF-8", "-t", name)
			} else {
				want = command(t, nil, sed, "-n", fmt.Sprintf("%d,%dp", at.Lines.First, at.Lines.Last), path)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, lines %v: got %d bytes, sed has %d", file.File, at.Lines, len(got), len(want))
			}
		}
	}
}

func ranges(n int) []citekit.Location {
	if n == 0 {
		return nil
	}
	return []citekit.Location{lines(1, 1), lines(1, n), lines((n+1)/2, (n+1)/2), lines((n+2)/3, n), lines(n, n)}
}

func command(t *testing.T, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	if stdin != nil {
		c.Stdin = bytes.NewReader(stdin)
	}
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", filepath.Base(name), args, err)
	}
	return out
}
