package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
)

// options are what a measurement can be asked for.
type options struct {
	dir     string // of the files, with a folder for each format
	only    string // formats, with commas between them; all if empty
	part    string // of a name of a file; all if empty
	held    bool   // only files whose SHA-256 begins with an odd digit
	limit   int    // files of each format; all if 0
	opened  int    // cuts of each format to open in LibreOffice
	pandoc  int    // files of each format to read by pandoc; all if 0
	compare bool   // compare with other readers
	report  string // file for what is found, or ""
}

// A measurement measures the files of all formats.
type measurement struct {
	options
	ctx       context.Context
	resolvers citekit.Resolvers
	second    *second // or nil
	office    office
	details   *os.File
}

// measure reads the files below a folder and prints a table.
func measure(ctx context.Context, o options) error {
	formats, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	m := &measurement{options: o, ctx: ctx, resolvers: modality.All()}
	if m.details, err = os.Create(orDiscard(o.report)); err != nil {
		return err
	}
	defer m.details.Close()
	if o.compare {
		if m.second, err = startSecond(ctx); err != nil {
			return err
		}
		defer m.second.close()
	}
	for _, f := range formats {
		if !f.IsDir() || o.only != "" && !slices.Contains(strings.Split(o.only, ","), f.Name()) {
			continue
		}
		t, err := m.format(f.Name())
		t.print(os.Stdout)
		if err != nil {
			return err
		}
	}
	return nil
}

func orDiscard(name string) string {
	if name == "" {
		return os.DevNull
	}
	return name
}

// format measures the files of one format.
func (m *measurement) format(name string) (*table, error) {
	t := &table{format: name, reasons: make(map[string]int), counts: make(map[string]int)}
	folder, err := os.MkdirTemp("", "cuts")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(folder)
	m.office = office{folder: folder, most: m.opened}
	err = filepath.WalkDir(filepath.Join(m.dir, name), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, m.part) || m.held && !heldOut(d.Name()) || m.limit > 0 && t.files >= m.limit {
			return err
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
		t.files++
		m.file(t, name, path)
		return nil
	})
	if err != nil {
		return t, err
	}
	m.office.check(m.ctx, func(cut officeCut, text string, err error) { m.officeRead(t, cut, text, err) })
	return t, nil
}

// found counts a finding and writes it to the details.
func (m *measurement) found(t *table, kind, path, format string, args ...any) {
	t.counts[kind]++
	fmt.Fprintf(m.details, "%s\t%s\t%s\t%s\n", t.format, kind, filepath.Base(path), strings.ReplaceAll(clip(fmt.Sprintf(format, args...), 600), "\n", `\n`))
}

// heldOut reports whether the name of a file, which begins with its SHA-256 in
// hex, begins with an odd digit.
func heldOut(name string) bool { return strings.ContainsAny(name[:1], "13579bdf") }

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
