package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
)

// compare compares what citekit reads of a file with what others read.
func (m *measurement) compare(ctx context.Context, t *table, r *fileReport) {
	switch r.format {
	case "docx", "odt":
		m.comparePlain(t, r)
	case "xlsx":
		m.compareCells(t, r)
	case "pptx":
		m.compareSlides(t, r)
	case "epub":
		m.compareContents(t, r)
	case "eml":
		m.compareParts(ctx, t, r)
	case "mbox":
		var n int
		switch {
		case !m.asked(t, r, "messages", &n):
		case n != r.extent.Messages:
			m.found(t, "another count of messages", r.path, "%d, Python %d", r.extent.Messages, n)
		default:
			t.same++
		}
	}
}

func (m *measurement) asked(t *table, r *fileReport, op string, v any) bool {
	path, err := filepath.Abs(r.path)
	if err == nil {
		err = m.second.ask(question{Op: op, Format: r.format, Path: path}, v)
	}
	if err != nil {
		m.found(t, "not read by the second reader", r.path, "%v", err)
	}
	return err == nil
}

// comparePlain compares words: with those of pandoc, which leaves out computed
// numbers and some boxes, and with those in the markup, without the numbers.
func (m *measurement) comparePlain(t *table, r *fileReport) {
	ours := words(r.text)
	for _, other := range []struct{ op, name string }{{"markup", "the markup"}, {"plain", "pandoc"}} {
		var text string
		if other.op == "markup" && r.format != "docx" || other.op == "plain" && m.pandoc > 0 && t.files > m.pandoc || !m.asked(t, r, other.op, &text) {
			continue
		}
		theirs := words(text)
		if len(ours) == 0 && len(theirs) == 0 {
			continue
		}
		score, missing, extra := f1(ours, theirs)
		t.score("words, F1 with "+other.name, score)
		if len(missing)+len(extra) > 0 {
			m.found(t, "words differ from "+other.name, r.path, "F1 %.3f; it has also %q; we have also %q", score, missing, extra)
		}
	}
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// f1 returns the harmonic mean of precision and recall of words, where numbers
// that only got has do not count, and some of the words that one alone has.
func f1(got, want []string) (score float64, missing, extra []string) {
	counts := make(map[string]int)
	for _, w := range want {
		counts[w]++
	}
	common, numbers := 0, 0
	for _, w := range got {
		if counts[w] > 0 {
			counts[w]--
			common++
		} else if isNumber(w) {
			numbers++
		} else if len(extra) < 12 {
			extra = append(extra, w)
		}
	}
	for _, w := range want {
		if counts[w] > 0 && len(missing) < 12 {
			counts[w]--
			missing = append(missing, w)
		}
	}
	if common == 0 {
		return 0, missing, extra
	}
	return 2 * float64(common) / float64(len(got)-numbers+len(want)), missing, extra
}

// isNumber reports whether a word can be the number of a list, a note or a
// heading, which the markup does not have.
func isNumber(w string) bool {
	return len(w) == 1 || strings.Trim(w, "0123456789") == "" || strings.Trim(w, "ivxlcIVXLC") == ""
}

// compareCells looks up each cell of the second reader in the text of its row.
func (m *measurement) compareCells(t *table, r *fileReport) {
	var cells [][4]string
	if !m.asked(t, r, "cells", &cells) {
		return
	}
	rows := make(map[string]string) // sheet and row
	for _, run := range r.runs {
		c := run.Location.Cells
		first := int(c.First.Row)
		if first == 0 {
			first = max(1, run.Location.Rows.First)
		}
		for i, line := range strings.Split(strings.TrimSuffix(run.Text, "\n"), "\n") {
			key := run.Location.Sheet + "\x00" + strconv.Itoa(first+i)
			rows[key] += line + "\t"
		}
	}
	t.cells += len(cells)
	missing := 0
	for _, c := range cells {
		row := rows[c[0]+"\x00"+strings.TrimLeft(c[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
		if hasCell(row, c[2], c[3]) {
			t.sameCells++
			continue
		}
		if missing == 0 {
			m.found(t, "cells that are not in the text of their row", r.path, "%s!%s (%s) %q not in %q", c[0], c[1], c[2], clip(c[3], 60), clip(row, 120))
		}
		missing++
	}
}

// hasCell reports whether the text of a row has a value as it is stored. How a
// date is shown is not compared, only that something is.
func hasCell(row, kind, value string) bool {
	switch kind {
	case "s", "str", "inlineStr", "e":
		return strings.Contains(squeezed(row), squeezed(value))
	case "b":
		return strings.Contains(row, map[string]string{"0": "FALSE", "1": "TRUE"}[value])
	case "d":
		return row != ""
	}
	want, err := strconv.ParseFloat(value, 64)
	for field := range strings.FieldsFuncSeq(row, isBreak) {
		got, bad := strconv.ParseFloat(field, 64)
		if err == nil && bad == nil && (got == want || math.Abs(got-want) <= 1e-14*math.Abs(want)) || field == value || strings.ContainsAny(field, "-/:") {
			return true
		}
	}
	return false
}

func (m *measurement) compareSlides(t *table, r *fileReport) {
	var slides [][]string
	if !m.asked(t, r, "slides", &slides) {
		return
	}
	if len(slides) != r.extent.Pages {
		m.found(t, "another count of slides", r.path, "%d, the second reader %d", r.extent.Pages, len(slides))
		return
	}
	texts := make([]string, len(slides)+1)
	for _, run := range r.runs {
		if len(run.Location.Pages) == 1 && run.Location.Pages[0].First <= len(slides) {
			texts[run.Location.Pages[0].First] += run.Text
		}
	}
	for i, want := range slides {
		got := squeezed(texts[i+1])
		t.slides++
		for _, p := range want {
			if !strings.Contains(got, squeezed(p)) {
				m.found(t, "a slide lacks a paragraph", r.path, "slide %d: %q", i+1, clip(p, 100))
				break
			}
		}
	}
}

func (m *measurement) compareContents(t *table, r *fileReport) {
	var book struct {
		TOC   [][2]any
		Spine int
	}
	if !m.asked(t, r, "toc", &book) {
		return
	}
	if book.Spine != r.extent.Parts {
		m.found(t, "another count of parts", r.path, "%d, the second reader %d", r.extent.Parts, book.Spine)
	}
	var want, got []string
	for _, e := range book.TOC {
		want = append(want, fmt.Sprint(e[0], " ", e[1]))
	}
	var walk func(nodes []*citekit.Node, depth int)
	walk = func(nodes []*citekit.Node, depth int) {
		for _, n := range nodes {
			got = append(got, fmt.Sprint(depth, " ", strings.Join(strings.Fields(n.Title), " ")))
			walk(n.Children, depth+1)
		}
	}
	walk(r.draft.Nodes, 1)
	if !slices.Equal(got, want) {
		m.found(t, "another table of contents", r.path, "method %s; %d entries, the second reader %d: %s", r.draft.Method, len(got), len(want), difference(strings.Join(want, "\n"), strings.Join(got, "\n")))
	} else {
		t.same++
	}
}

func (m *measurement) compareParts(ctx context.Context, t *table, r *fileReport) {
	var parts [][4]any
	if !m.asked(t, r, "parts", &parts) {
		return
	}
	want := make(map[string][2]string)
	for _, p := range parts {
		want[p[0].(string)] = [2]string{p[1].(string), p[2].(string)}
	}
	got := make(map[string]bool)
	var walk func(nodes []*citekit.Node)
	walk = func(nodes []*citekit.Node) {
		for _, n := range nodes {
			if n.Location.Part != "" {
				got[n.Location.Part] = true
			}
			walk(n.Children)
		}
	}
	walk(r.draft.Nodes)
	same := true
	for part, p := range want {
		if !got[part] {
			m.found(t, "a part is not in the map", r.path, "%s %s of %d", part, p[0], len(want))
			same = false
			break
		}
	}
	for part := range got {
		if _, ok := want[part]; !ok {
			m.found(t, "a part that the second reader has not", r.path, "%s", part)
			same = false
			break
		}
	}
	for part, p := range want {
		cut, err := resolve(ctx, r.resolver, r.source(), citekit.Location{Modality: r.kind, Part: part, Message: r.extent.Messages})
		sum := sha256.Sum256(cut.data)
		if err != nil {
			m.found(t, "a part does not resolve", r.path, "%s %s: %v", part, p[0], err)
			same = false
			break
		}
		if p[1] != "" && hex.EncodeToString(sum[:]) != p[1] {
			m.found(t, "a part has other bytes", r.path, "%s %s: %d bytes", part, p[0], len(cut.data))
			same = false
			break
		}
	}
	if same {
		t.same++
	}
}

// keep opens a cut in the second reader, asks it for leaks, and keeps it for
// LibreOffice.
func (m *measurement) keep(_ context.Context, t *table, r *fileReport, i int, cut evidence, text string) {
	if r.format == "eml" || r.format == "mbox" {
		return
	}
	name := filepath.Join(m.office.folder, strings.TrimSuffix(filepath.Base(r.path), filepath.Ext(r.path))+"-"+strconv.Itoa(i)+cut.ext)
	if err := os.WriteFile(name, cut.data, 0o600); err != nil {
		m.found(t, "cut not written", r.path, "%v", err)
		return
	}
	if m.second != nil {
		m.secondOpens(t, r, i, name)
	}
	if !m.office.take(officeCut{path: name, source: r.path, text: text}) {
		os.Remove(name)
	}
}

func (m *measurement) secondOpens(t *table, r *fileReport, i int, name string) {
	t.tried++
	var n int
	err := m.second.ask(question{Op: "open", Format: r.format, Path: name}, &n)
	path, _ := filepath.Abs(r.path)
	if err != nil && m.second.ask(question{Op: "open", Format: r.format, Path: path}, &n) != nil {
		t.tried-- // nor does the source
		return
	}
	if err != nil {
		m.found(t, "cut does not open in the second reader", r.path, "cut %d: %v", i, err)
		return
	}
	t.opened++
	var leaks, pages = []string{}, []int(nil)
	for _, p := range pick(r.runs)[i].Location.Pages {
		for n := p.First; n <= p.Last; n++ {
			pages = append(pages, n)
		}
	}
	if err := m.second.ask(question{Op: "leaks", Format: r.format, Path: path, Cut: name, Pages: pages}, &leaks); err != nil {
		m.found(t, "leaks not looked for", r.path, "cut %d: %v", i, err)
	} else if len(leaks) > 0 {
		m.found(t, "leak: notes, comments, strings", r.path, "cut %d: %q", i, leaks)
	}
}
