// Bench measures citekit side by side with the programs that do the same jobs
// and prints a table of ratios. Each row is measured in one run that alternates
// between the two programs, so that other load on the machine affects both.
//
//	go run ./internal/tool/bench
//
// It needs qpdf, ffmpeg, vips and sed; for the rows over stdio also Node and
// the npm package citekit, whose node_modules -npm names. It reports the
// programs that are missing and leaves out their rows. The material, about 1.5 GB,
// is made once and kept in the directory that -data names.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// A bench holds what all rows share.
type bench struct {
	ctx     context.Context
	data    string // directory of the material
	npm     string // node_modules with citekit, or ""
	citekit string // our binary
	rounds  int
	table   table
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == measureWord {
		if err := measureOne(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	data := flag.String("data", filepath.Join(os.TempDir(), "citekit-bench"), "directory of the material")
	npm := flag.String("npm", "", "node_modules that has citekit, for the rows over stdio")
	rounds := flag.Int("rounds", 9, "how often each side is measured; the median counts")
	rows := flag.String("rows", "", "comma-separated sections to run: mcp,http,inprocess,pdf,video,image,text,ingest,search,office; all if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *data, *npm, *rounds, *rows); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, npm string, rounds int, rows string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	b := &bench{ctx: ctx, data: data, npm: npm, rounds: rounds, citekit: filepath.Join(data, "citekit")}
	// As a release has it: static, without symbols.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.citekit, "github.com/citekit/citekit/cmd/citekit")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	sections := []struct {
		name    string
		measure func() error
	}{
		{"mcp", b.mcp}, {"http", b.http}, {"inprocess", b.inProcess}, {"pdf", b.pdf}, {"video", b.video}, {"image", b.image}, {"text", b.text}, {"ingest", b.ingest}, {"search", b.search}, {"office", b.office},
	}
	for _, s := range sections {
		if rows != "" && !strings.Contains(","+rows+",", ","+s.name+",") {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring", s.name)
		if err := s.measure(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	b.table.print(os.Stdout)
	return nil
}

// has reports whether a program is there, and says so if not.
func (b *bench) has(program string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is not installed; its rows are left out\n", program)
	}
	return err == nil
}
