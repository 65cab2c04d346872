// Package testcorpus makes files of every kind that citekit reads, and records what
// independent programs report about them, so that tests have a reference wherever the
// project is checked out.
//
// The files are made by Go code and by ffmpeg, ImageMagick, qpdf and exiftool. They are
// kept in the user's cache directory: one set for each version of this package's code
// and of those programs.
package testcorpus

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The code is part of the name of a set, so that a change makes a new set.
//
//go:embed *.go
var code embed.FS

// tools are the programs that make files or report facts about them.
var tools = []string{"ffmpeg", "ffprobe", "qpdf", "pdftotext", "pdfinfo", "exiftool"}

// ErrTool reports that a program is not installed.
var ErrTool = errors.New("a program that makes the test files is not installed")

// Dir returns the directory of the files, which it makes if needed. Below it are media,
// image, pdf, text, docs and maps, and truth with the known facts. Tests must not write
// to it. An error matches [ErrTool] if a program is missing.
var Dir = sync.OnceValues(func() (string, error) {
	dir, err := place()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	cache := filepath.Dir(dir)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	return dir, makeOnce(cache, dir)
})

// IsMade reports whether [Dir] has the files already, or cannot make them. Making
// them takes a minute or more.
func IsMade() bool {
	dir, err := place()
	if err != nil {
		return true
	}
	_, err = os.Stat(dir)
	return err == nil
}

// place returns where the files are, or will be.
var place = sync.OnceValues(func() (string, error) {
	for _, tool := range append([]string{convert()}, tools...) {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%w: %s", ErrTool, filepath.Base(tool))
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "citekit-tests", version()), nil
})

// lockStale is the age at which a lock is abandoned. A process that makes the files
// touches its lock more often.
const lockStale = 30 * time.Second

// makeOnce makes the files at dir, or waits for another process that is making them.
func makeOnce(cache, dir string) error {
	lock := dir + ".making"
	for {
		err := os.Mkdir(lock, 0o700)
		if err == nil {
			break
		}
		info, statErr := os.Stat(lock)
		if statErr == nil && time.Since(info.ModTime()) > lockStale {
			os.Remove(lock) // its process is gone
			continue
		}
		time.Sleep(200 * time.Millisecond)
	}
	defer os.Remove(lock)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go touch(ctx, lock, lockStale/6)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	temp, err := os.MkdirTemp(cache, "making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := Make(ctx, temp); err != nil {
		return fmt.Errorf("making the test files: %w", err)
	}
	return os.Rename(temp, dir)
}

// touch renews the time of a file regularly, until ctx is done.
func touch(ctx context.Context, name string, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			os.Chtimes(name, now, now)
		}
	}
}

// version identifies this version of the code and of the programs.
func version() string {
	sum := sha256.New()
	entries, _ := code.ReadDir(".")
	for _, e := range entries {
		data, _ := code.ReadFile(e.Name())
		sum.Write(data)
	}
	for _, tool := range []string{"ffmpeg", "qpdf"} {
		flag := "-version"
		if tool == "qpdf" {
			flag = "--version"
		}
		out, _ := exec.Command(tool, flag).Output()
		first, _, _ := strings.Cut(string(out), "\n")
		sum.Write([]byte(first))
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// A maker makes the files below a directory. After the first error it does nothing
// more.
type maker struct {
	ctx context.Context
	dir string
	err error
}

// Make makes all files in dir.
func Make(ctx context.Context, dir string) error {
	for _, folder := range []string{"media", "image", "pdf", "text", "docs", "maps", "truth/pdf"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o700); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for _, kind := range [][2]func(*maker){ // files, and then the facts about them
		{(*maker).media, (*maker).mediaTruths},
		{(*maker).images, (*maker).imageTruths},
		{(*maker).pdfs, (*maker).pdfTruths},
		{(*maker).texts, (*maker).textTruths},
	} {
		all.Go(func() {
			m := &maker{ctx: ctx, dir: dir}
			kind[0](m)
			kind[1](m)
			if m.err != nil {
				cancel(m.err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

func (m *maker) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *maker) write(name string, data []byte) {
	if m.err == nil {
		m.err = os.WriteFile(m.path(name), data, 0o600)
	}
}

func (m *maker) read(name string) []byte {
	if m.err != nil {
		return nil
	}
	data, err := os.ReadFile(m.path(name))
	m.err = err
	return data
}

// run runs a program in the directory of the files. File names are relative to it.
func (m *maker) run(program string, args ...string) []byte {
	if m.err != nil {
		return nil
	}
	cmd := exec.CommandContext(m.ctx, program, args...)
	cmd.Dir = m.dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		m.err = fmt.Errorf("%s %q: %w\n%.2000s", filepath.Base(program), args, err, stderr.String())
	}
	return out
}

// try runs a program that may fail, for example because a file is damaged.
func (m *maker) try(program string, args ...string) (out []byte, ok bool) {
	if m.err != nil {
		return nil, false
	}
	cmd := exec.CommandContext(m.ctx, program, args...)
	cmd.Dir = m.dir
	out, err := cmd.Output()
	return out, err == nil
}

func (m *maker) remove(names ...string) {
	for _, name := range names {
		if m.err == nil {
			m.err = os.Remove(m.path(name))
		}
	}
}

// convert returns the path of ImageMagick's program, because another program may have
// its name.
func convert() string {
	const system = "/usr/bin/convert"
	if _, err := os.Stat(system); err == nil {
		return system
	}
	return "convert"
}
