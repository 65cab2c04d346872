package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// An office opens cuts in LibreOffice, many at a time.
type office struct {
	folder string
	most   int
	cuts   []officeCut
}

type officeCut struct{ path, source, text string }

// take keeps a cut if there is room for it.
func (o *office) take(cut officeCut) bool {
	if len(o.cuts) >= o.most {
		return false
	}
	o.cuts = append(o.cuts, cut)
	return true
}

// atOnce is how many files one run of LibreOffice converts.
const atOnce = 15

// check converts all cuts to PDF, and calls done with the text of each.
func (o *office) check(ctx context.Context, done func(cut officeCut, text string, err error)) {
	for from := 0; from < len(o.cuts) && ctx.Err() == nil; from += atOnce {
		batch := o.cuts[from:min(from+atOnce, len(o.cuts))]
		o.convert(ctx, batch)
		for _, cut := range batch {
			if !exists(pdfOf(cut.path)) {
				o.convert(ctx, []officeCut{cut}) // another one may have ended the run
			}
			text, err := pdfText(ctx, pdfOf(cut.path))
			done(cut, text, err)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func pdfOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) + ".pdf" }

func (o *office) convert(ctx context.Context, cuts []officeCut) {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	args := []string{"--headless", "--norestore", "-env:UserInstallation=file://" + o.folder + "/profile", "--convert-to", "pdf", "--outdir", o.folder}
	for _, cut := range cuts {
		args = append(args, cut.path)
	}
	cmd := exec.CommandContext(ctx, "soffice", args...)
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // what it made counts
}

func pdfText(ctx context.Context, name string) (string, error) {
	if !exists(name) {
		return "", errors.New("LibreOffice makes no PDF of it")
	}
	out, err := exec.CommandContext(ctx, "pdftotext", "-raw", name, "-").Output()
	if err != nil {
		return "", fmt.Errorf("pdftotext: %w", err)
	}
	return string(out), nil
}

// officeRead takes in what LibreOffice read of a cut.
func (m *measurement) officeRead(t *table, cut officeCut, text string, err error) {
	t.office++
	if err != nil {
		m.found(t, "cut does not open in LibreOffice", cut.source, "%s: %v", filepath.Base(cut.path), err)
		return
	}
	t.officeGood++
	have := strings.ToLower(squeezed(text))
	all, there := 0, 0
	for _, w := range words(cut.text) {
		all++
		if strings.Contains(have, strings.ToLower(w)) {
			there++
		}
	}
	if all > 0 {
		t.score("words of the cut that LibreOffice shows", float64(there)/float64(all))
	}
}
