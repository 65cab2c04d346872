package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
)

// cuts cuts a file at three places and checks what comes out.
func (m *measurement) cuts(ctx context.Context, t *table, r *fileReport) {
	for i, run := range pick(r.runs) {
		t.cuts++
		start := time.Now()
		cut, err := resolve(ctx, r.resolver, r.source(), run.Location)
		if err != nil {
			m.found(t, "cut failed", r.path, "%+v: %v", run.Location, err)
			continue
		}
		t.cutTimes = append(t.cutTimes, time.Since(start))
		again, err := resolve(ctx, modality.All()[r.kind], r.source(), run.Location)
		if err != nil || !bytes.Equal(cut.data, again.data) {
			m.found(t, "cut differs the second time", r.path, "%+v: %v", run.Location, err)
		}
		text, err := m.checkText(ctx, t, r, run.Location, cut)
		if err != nil {
			continue
		}
		t.good++
		m.leaks(t, r, run.Location, cut.data, text)
		m.keep(ctx, t, r, i, cut, text)
	}
}

// pick returns a run at the start, in the middle and towards the end.
func pick(runs []citekit.TextRun) (picked []citekit.TextRun) {
	last := -1
	for _, i := range []int{0, len(runs) / 2, len(runs) * 5 / 6} {
		if i < len(runs) && i > last {
			picked, last = append(picked, runs[i]), i
		}
	}
	return picked
}

type evidence struct {
	data []byte
	ext  string
}

func resolve(ctx context.Context, resolver citekit.Resolver, src *citekit.Source, loc citekit.Location) (e evidence, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	content, err := resolver.Resolve(ctx, src, citekit.Request{Location: loc})
	if err != nil {
		return evidence{}, err
	}
	if content.Body == nil {
		return evidence{}, errors.New("no body")
	}
	defer content.Body.Close()
	data, err := io.ReadAll(content.Body)
	if err == nil && content.Size >= 0 && content.Size != int64(len(data)) {
		err = fmt.Errorf("%d bytes, said to be %d", len(data), content.Size)
	}
	return evidence{data, content.Ext}, err
}

// checkText reads a location of the source, and all of the cut: the texts are
// the same.
func (m *measurement) checkText(ctx context.Context, t *table, r *fileReport, loc citekit.Location, cut evidence) (string, error) {
	runs, err := readRuns(ctx, r.resolver, r.source(), loc)
	if err != nil {
		m.found(t, "address has no text", r.path, "%+v: %v", loc, err)
		return "", err
	}
	want := textOf(runs)
	if r.format == "eml" || r.format == "mbox" { // bytes of a part in its own charset
		return want, nil
	}
	src := sourceOf(cut.data, "cut"+cut.ext)
	runs, err = readRuns(ctx, r.resolver, src, citekit.Location{Modality: r.kind})
	if err != nil {
		m.found(t, "cut does not open", r.path, "%+v: %v", loc, err)
		return "", err
	}
	if got := textOf(runs); got != want {
		m.found(t, "cut has another text", r.path, "%+v: %s", loc, difference(want, got))
		return "", errors.New("text")
	}
	return want, nil
}

// difference shows where two texts part.
func difference(want, got string) string {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	from := max(0, i-20)
	return fmt.Sprintf("%d bytes and %d, from byte %d: want %q got %q", len(want), len(got), i, clip(strings.ToValidUTF8(want[from:], "?"), 100), clip(strings.ToValidUTF8(got[from:], "?"), 100))
}
