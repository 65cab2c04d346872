package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ingest measures how long maps take to make.
func (b *bench) ingest() error {
	for _, measure := range []func() error{b.ingestManual, b.ingestCode, b.ingestMovie, b.ingestMany} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// ingestFresh returns the command that maps a file or all that is in a folder,
// where nothing was mapped before. It does not read texts for search.
func (b *bench) ingestFresh(source string) command {
	c := b.ingestAgain(source)
	c.prepare = func() error {
		return errors.Join(os.RemoveAll(filepath.Join(base(source), ".resource_maps")), os.RemoveAll(filepath.Join(base(source), ".citekit_output")))
	}
	return c
}

func (b *bench) ingestAgain(source string) command {
	return command{
		args: []string{b.citekit, "ingest", "--no-index", "--dir", base(source), source},
		env:  []string{"XDG_CONFIG_HOME=" + filepath.Join(b.data, "config")},
	}
}

// base returns the base directory for a source: the folder itself, or the one
// that the file is in.
func base(source string) string {
	if info, err := os.Stat(source); err == nil && info.IsDir() {
		return source
	}
	return filepath.Dir(source)
}

// aloneWithMemory measures one command and adds two rows.
func (b *bench) aloneWithMemory(job, goal string, c command) error {
	results, err := b.sideBySide(c)
	if err != nil {
		return err
	}
	b.table.alone(job, results[0].time, goal)
	b.table.compareSize("— memory", results[0].rss, "", 0, "under 300 MB")
	return nil
}

func (b *bench) ingestManual() error {
	manual, err := b.manual()
	if err != nil {
		return err
	}
	file, err := b.made("mapped-"+filepath.Base(manual), func(path string) error {
		data, err := os.ReadFile(manual)
		return errors.Join(err, os.WriteFile(path, data, 0o600))
	})
	if err != nil {
		return err
	}
	return b.aloneWithMemory("map a 2,400-page PDF with an outline ("+filepath.Base(manual)+")", "under 1 s", b.ingestFresh(file))
}

const codeBytes = 50 << 20

var codeExtensions = []string{".go", ".c", ".h", ".py", ".js", ".ts", ".java", ".rs", ".sh", ".rb", ".php", ".cs", ".kt", ".swift", ".sql", ".cc", ".cpp"}

func (b *bench) ingestCode() error {
	dir, err := b.code()
	if err != nil {
		return err
	}
	files := 0
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return nil
	})
	return b.aloneWithMemory(fmt.Sprintf("map 50 MB of source code, %d files", files), "under 5 s", b.ingestFresh(dir))
}

// code is 50 MiB of real source code, from the modules of this project and
// Go's own library.
func (b *bench) code() (string, error) {
	return b.made("code", func(path string) error {
		out, err := exec.CommandContext(b.ctx, "go", "list", "-m", "-f", "{{.Dir}}", "all").Output()
		if err != nil {
			return err
		}
		goroot, err := exec.CommandContext(b.ctx, "go", "env", "GOROOT").Output()
		if err != nil {
			return err
		}
		left := int64(codeBytes)
		for _, dir := range append(strings.Fields(string(out))[1:], filepath.Join(strings.TrimSpace(string(goroot)), "src")) {
			if err := copyCode(dir, path, &left); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyCode copies the source code below dir into a folder of its own below to,
// until nothing is left to copy.
func copyCode(dir, to string, left *int64) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains(codeExtensions, filepath.Ext(path)) {
			return nil
		}
		info, err := e.Info()
		if err != nil || info.Size() == 0 || info.Size() > *left {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		name, err := filepath.Rel(filepath.Dir(dir), path)
		if err != nil {
			return err
		}
		name = filepath.Join(to, strings.ReplaceAll(name, "@", "-"))
		*left -= info.Size()
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o600))
	})
}

func (b *bench) ingestMovie() error {
	if !b.has("ffmpeg") || !b.has("sha256sum") {
		return nil
	}
	file, err := b.hour()
	if err != nil {
		return err
	}
	results, err := b.sideBySide(b.ingestFresh(file), command{args: []string{"sha256sum", file}})
	if err != nil {
		return err
	}
	b.table.compare("map a one-hour mp4 with chapters, hashing included", results[0].time, "sha256sum", results[1].time, "under 0.3 s more than hashing")
	b.table.compareSize("— memory", results[0].rss, "", 0, "under 300 MB")
	return nil
}

// hour is an hour of video at 30 frames a second with sixty chapters.
func (b *bench) hour() (string, error) {
	return b.made("hour.mp4", func(path string) error {
		var chapters strings.Builder
		chapters.WriteString(";FFMETADATA1\n")
		for i := range 60 {
			fmt.Fprintf(&chapters, "[CHAPTER]\nTIMEBASE=1/1\nSTART=%d\nEND=%d\ntitle=Chapter %d\n", 60*i, 60*(i+1), i+1)
		}
		list := path + ".txt"
		if err := os.WriteFile(list, []byte(chapters.String()), 0o600); err != nil {
			return err
		}
		defer os.Remove(list)
		return exec.CommandContext(b.ctx, "ffmpeg", "-v", "error",
			"-f", "lavfi", "-i", "testsrc=size=320x180:rate=30:duration=3600",
			"-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=3600", "-i", list, "-map_metadata", "2",
			"-c:v", "libx264", "-preset", "ultrafast", "-g", "150", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", "-f", "mp4", path).Run()
	})
}

func (b *bench) ingestMany() error {
	for _, n := range []int{1_000, 10_000} {
		dir, err := b.many(n)
		if err != nil {
			return err
		}
		goal := ""
		if n == 10_000 {
			goal = "no more than 10 times that"
		}
		if err := b.aloneWithMemory(fmt.Sprintf("map %d small files", n), goal, b.ingestFresh(dir)); err != nil {
			return err
		}
		if err := b.aloneWithMemory("— again, unchanged", "under 2 s", b.ingestAgain(dir)); err != nil {
			return err
		}
	}
	return nil
}

// many is a folder of n notes in Markdown, old enough to be known by their
// times.
func (b *bench) many(n int) (string, error) {
	return b.made(fmt.Sprintf("notes-%d", n), func(path string) error {
		old := time.Now().Add(-time.Hour)
		for i := range n {
			name := filepath.Join(path, fmt.Sprintf("folder%02d", i%89), fmt.Sprintf("note%05d.md", i))
			text := fmt.Sprintf("# Note %d\n\nThis is note number %d.\n\n## Details\n\nIt has some details.\n", i, i)
			err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600), os.Chtimes(name, old, old))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
