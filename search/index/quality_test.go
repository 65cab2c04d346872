package index_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/sharedtest"
	"github.com/citekit/citekit/search/index"
	"github.com/citekit/citekit/workspace"
)

// A judged is a document or a query of a collection with judgements.
type judged struct{ ID, Title, Text string }

// Collections on which search was judged find what they should: the normalized
// discounted gain of the first ten hits, as measured with other engines of BM25.
func TestQuality(t *testing.T) {
	dir, ok := sharedtest.Extra(t)
	if !ok {
		t.Skip("no collections")
	}
	for name, least := range map[string]float64{"cranfield": .392, "med": .692} {
		dir := filepath.Join(dir, "ir", name)
		if _, err := os.Stat(dir); err != nil {
			t.Skip(err)
		}
		x := newIndex(t, workspace.NewMemory(nil))
		var entries []index.Entry
		for _, d := range readJudged(t, filepath.Join(dir, "corpus.jsonl")) {
			entries = append(entries, index.Entry{Node: d.ID, Title: d.Title, Text: d.Text})
		}
		put(t, x, index.Resource{ID: name, Version: "1", Entries: slices.Values(entries)})
		judgements := readJudgements(t, filepath.Join(dir, "qrels.tsv"))
		sum, count := 0., 0
		for _, q := range readJudged(t, filepath.Join(dir, "queries.jsonl")) {
			if judgements[q.ID] == nil {
				continue
			}
			result, err := x.Search(ctx, index.Query{Text: q.Text})
			if err != nil {
				t.Fatal(err)
			}
			sum += gain(result.Hits, judgements[q.ID])
			count++
		}
		t.Logf("%s: nDCG@10 %.4f of %d queries", name, sum/float64(count), count)
		if sum/float64(count) < least-.0005 {
			t.Errorf("%s: nDCG@10 %.4f, want %.3f", name, sum/float64(count), least)
		}
	}
}

func readLines(t *testing.T, name string, f func(line string)) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Text())
	}
}

func readJudged(t *testing.T, name string) (list []judged) {
	readLines(t, name, func(line string) {
		var d judged
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	})
	return list
}

// readJudgements returns the documents that are right, by query.
func readJudgements(t *testing.T, name string) map[string]map[string]bool {
	right := make(map[string]map[string]bool)
	readLines(t, name, func(line string) {
		columns := strings.Split(line, "\t")
		if n, err := strconv.Atoi(columns[2]); err != nil || n <= 0 {
			return
		}
		if right[columns[0]] == nil {
			right[columns[0]] = make(map[string]bool)
		}
		right[columns[0]][columns[1]] = true
	})
	return right
}

func gain(hits []index.Hit, right map[string]bool) float64 {
	got, best := 0., 0.
	for i := range 10 {
		worth := 1 / math.Log2(float64(i+2))
		if i < len(hits) && right[hits[i].Entry.Node] {
			got += worth
		}
		if i < len(right) {
			best += worth
		}
	}
	return got / best
}
