package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
)

// maxTime is how long one file may take, all in all.
const maxTime = 2 * time.Minute

// A fileReport is what citekit says of a file.
type fileReport struct {
	path, format string
	data         []byte
	kind         citekit.Modality
	resolver     citekit.Resolver
	extent       citekit.Extent
	draft        *citekit.Draft
	runs         []citekit.TextRun
	text         string
}

func (r *fileReport) source() *citekit.Source { return sourceOf(r.data, filepath.Base(r.path)) }

func sourceOf(data []byte, name string) *citekit.Source {
	sum := sha256.Sum256(data)
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{
		Name: name, Size: int64(len(data)), Identity: hex.EncodeToString(sum[:]),
	})
}

// file measures one file.
func (m *measurement) file(t *table, format, path string) {
	ctx, cancel := context.WithTimeout(m.ctx, maxTime)
	defer cancel()
	data, err := os.ReadFile(path)
	if err != nil {
		m.found(t, "unreadable", path, "%v", err)
		return
	}
	start := time.Now()
	r, err := m.read(ctx, format, path, data)
	if err != nil {
		t.reasons[reason(err)]++
		m.found(t, "failed: "+reason(err), path, "%v", err)
		return
	}
	t.read++
	t.times = append(t.times, time.Since(start))
	t.nodes += countNodes(r.draft.Nodes)
	m.checkDraft(t, r)
	m.checkRuns(t, r)
	m.cuts(ctx, t, r)
	if m.second != nil {
		m.compare(ctx, t, r)
	}
}

// read maps a file, measures it and reads all of its text.
func (m *measurement) read(ctx context.Context, format, path string, data []byte) (r *fileReport, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	kind, known, err := sniff.Classify(bytes.NewReader(data), int64(len(data)), "")
	if err != nil {
		return nil, err
	}
	r = &fileReport{path: path, format: format, data: data, kind: citekit.Modality(kind), resolver: m.resolvers[citekit.Modality(kind)]}
	isMail := format == "eml" || format == "mbox" // its content is text, and its name may decide
	if known.ID != format && !known.Encrypted && !isMail {
		return nil, fmt.Errorf("taken for %s %q", kind, known.ID)
	}
	if known.Encrypted {
		return nil, citekit.ErrEncrypted
	}
	if r.draft, err = m.resolvers.Map(ctx, r.source(), citekit.MapRequest{Modality: r.kind}); err != nil {
		return nil, err
	}
	if read := r.draft.Metadata["format"]; isMail && read != "eml" && read != "mbox" {
		return nil, fmt.Errorf("taken for %s %q", kind, known.ID)
	}
	if r.extent, err = r.resolver.(citekit.Measurer).Measure(ctx, r.source()); err != nil {
		return nil, err
	}
	r.runs, err = readRuns(ctx, r.resolver, r.source(), citekit.Location{Modality: r.kind})
	r.text = textOf(r.runs)
	return r, err
}

func readRuns(ctx context.Context, resolver citekit.Resolver, src *citekit.Source, loc citekit.Location) (runs []citekit.TextRun, err error) {
	for run, err := range resolver.(citekit.TextReader).ReadText(ctx, src, loc) {
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func textOf(runs []citekit.TextRun) string {
	var b strings.Builder
	for _, run := range runs {
		b.WriteString(run.Text)
	}
	return b.String()
}

// reason sorts errors.
func reason(err error) string {
	if strings.Contains(err.Error(), "nothing to cite") {
		return "empty"
	}
	for _, known := range []struct {
		err  error
		name string
	}{
		{citekit.ErrEncrypted, "encrypted"}, {citekit.ErrTooLarge, "too large"}, {citekit.ErrFormat, "format"},
		{citekit.ErrRange, "range"}, {errors.ErrUnsupported, "unsupported"}, {context.DeadlineExceeded, "time"},
	} {
		if errors.Is(err, known.err) {
			return known.name
		}
	}
	if s, _, ok := strings.Cut(err.Error(), ":"); ok && s == "panic" {
		return s
	}
	if strings.HasPrefix(err.Error(), "taken for") {
		return err.Error()
	}
	return "other"
}

func countNodes(nodes []*citekit.Node) (n int) {
	for _, node := range nodes {
		n += 1 + countNodes(node.Children)
	}
	return n
}

// checkDraft finds nodes that lie outside the source or their parent.
func (m *measurement) checkDraft(t *table, r *fileReport) {
	var walk func(nodes []*citekit.Node, parent *citekit.Node)
	walk = func(nodes []*citekit.Node, parent *citekit.Node) {
		for _, n := range nodes {
			if err := r.outside(n.Location); err != nil {
				m.found(t, "node outside", r.path, "%+v: %v", n.Location, err)
			}
			if parent != nil && !parent.Location.Contains(n.Location) {
				m.found(t, "child outside its parent", r.path, "%+v in %+v", n.Location, parent.Location)
			}
			walk(n.Children, n)
		}
	}
	walk(r.draft.Nodes, nil)
}

// checkRuns finds runs that lie outside the source or do not end a line.
func (m *measurement) checkRuns(t *table, r *fileReport) {
	for _, run := range r.runs {
		if err := r.outside(run.Location); err != nil {
			m.found(t, "run outside", r.path, "%+v: %v", run.Location, err)
		}
		if run.Text != "" && !strings.HasSuffix(run.Text, "\n") {
			m.found(t, "run without an end of line", r.path, "%+v", run.Location)
			return
		}
	}
}

func (r *fileReport) outside(loc citekit.Location) error {
	if err := loc.Validate(); err != nil {
		return err
	}
	return r.extent.Check(loc)
}
