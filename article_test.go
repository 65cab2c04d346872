package citekit_test

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

var wrongArticle = regexp.MustCompile(`\ba [aeiou]`)

// TestArticles provokes an error for each modality with each selector, and with
// each other modality, and reads the articles.
func TestArticles(t *testing.T) {
	read := func(err error) {
		if err != nil && wrongArticle.MatchString(err.Error()) {
			t.Errorf("a wrong article: %v", err)
		}
	}
	fragments := []string{
		"pages=3", "t=1-2", "lines=3", "bbox=0,0,1,0.5", "blocks=2", "part=1&blocks=2", "sheet=a&cells=B2", "table=a&rows=2", "rows=2&cols=a", "message=2",
	}
	for _, m := range modalities {
		whole := citekit.Address{Resource: "clip", Location: citekit.Location{Modality: m}}
		for _, fragment := range fragments {
			_, err := citekit.ParseAddress(whole.String() + "#" + fragment)
			read(err)
			loc, _, err := citekit.ParseFragment(fragment)
			if err != nil {
				t.Fatal(err)
			}
			loc.Modality = m
			read(loc.Validate())
		}
		for _, other := range modalities {
			read(citekit.Extent{Modality: other}.Check(whole.Location))
			read(whole.Mismatch(other))
		}
		empty := &citekit.ResourceMap{ResourceID: "clip", Type: m}
		read(empty.Validate())
	}
}

var builtArticle = regexp.MustCompile(`"[^"]*\ba %[sv] (location|map|source|resource)\b`)

// TestBuiltArticles finds texts that write "a" before the name of a modality,
// which may be audio or image.
func TestBuiltArticles(t *testing.T) {
	sharedtest.Once(t)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if builtArticle.MatchString(lines.Text()) {
				t.Errorf("%s:%d: write message.Article for \"a %%s\": %s", path, n, strings.TrimSpace(lines.Text()))
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
