// Package irtest reads collections of documents, queries and judgements, by which
// a ranking is measured.
package irtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Text is a document or a query.
type Text struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// A Collection is documents, queries, and which documents are right for a query.
type Collection struct {
	Documents []Text
	Queries   []Text                     // those that have right documents
	Right     map[string]map[string]bool // ids of documents by id of the query
}

// Read reads a collection from corpus.jsonl, queries.jsonl and qrels.tsv in a
// directory.
func Read(dir string) (*Collection, error) {
	c := &Collection{Right: make(map[string]map[string]bool)}
	if err := c.readJudgements(filepath.Join(dir, "qrels.tsv")); err != nil {
		return nil, err
	}
	err := readTexts(filepath.Join(dir, "corpus.jsonl"), func(t Text) { c.Documents = append(c.Documents, t) })
	if err != nil {
		return nil, err
	}
	return c, readTexts(filepath.Join(dir, "queries.jsonl"), func(t Text) {
		if c.Right[t.ID] != nil {
			c.Queries = append(c.Queries, t)
		}
	})
}

func (c *Collection) readJudgements(name string) error {
	return readLines(name, func(line string) error {
		columns := strings.Split(line, "\t")
		if len(columns) < 3 {
			return fmt.Errorf("judgement %q has %d columns", line, len(columns))
		}
		if n, err := strconv.Atoi(columns[2]); err != nil || n <= 0 {
			return nil // the head of the table, or not right
		}
		if c.Right[columns[0]] == nil {
			c.Right[columns[0]] = make(map[string]bool)
		}
		c.Right[columns[0]][columns[1]] = true
		return nil
	})
}

func readTexts(name string, f func(Text)) error {
	return readLines(name, func(line string) error {
		var t Text
		err := json.Unmarshal([]byte(line), &t)
		f(t)
		return err
	})
}

func readLines(name string, f func(line string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := f(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// NDCG returns the normalized discounted cumulative gain at 10 of a ranking for
// a query: 1 if the right documents come first.
func (c *Collection) NDCG(query string, ranking []string) float64 {
	right := c.Right[query]
	got, best := 0., 0.
	for i := range 10 {
		worth := 1 / math.Log2(float64(i+2))
		if i < len(ranking) && right[ranking[i]] {
			got += worth
		}
		if i < len(right) {
			best += worth
		}
	}
	return got / best
}
