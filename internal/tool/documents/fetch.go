package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxFile is how large a file of the list may be.
const maxFile = 64 << 20

// fetch brings the files of a list into a folder, each below a folder of its
// format. Those that are there already are left. It says at the end which
// are missing, and prints the line of those whose hash was not known.
func fetch(ctx context.Context, list []origin, from, dir string) error {
	type tree struct{ repo, commit string }
	wanted := make(map[tree][]origin)
	for _, o := range list {
		if _, err := os.Stat(o.file(dir)); err != nil {
			wanted[tree{o.repo, o.commit}] = append(wanted[tree{o.repo, o.commit}], o)
		}
	}
	trees := slices.SortedFunc(maps.Keys(wanted), func(a, b tree) int {
		return cmp.Or(cmp.Compare(a.repo, b.repo), cmp.Compare(a.commit, b.commit))
	})
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var failed []error
	for _, t := range trees {
		fmt.Fprintf(os.Stderr, "%s: %d files\n", t.repo, len(wanted[t]))
		if err := fetchTree(ctx, from+t.repo, t.commit, wanted[t], dir); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t.repo, err))
		}
	}
	return errors.Join(failed...)
}

func (o origin) file(dir string) string { return filepath.Join(dir, o.format, o.fileName()) }

// fetchTree clones one commit without its files, then gets those of the list.
func fetchTree(ctx context.Context, url, commit string, list []origin, dir string) error {
	clone, err := os.MkdirTemp("", "documents")
	if err != nil {
		return err
	}
	defer os.RemoveAll(clone)
	g := git{ctx, clone}
	var patterns strings.Builder
	for _, o := range list {
		fmt.Fprintf(&patterns, "/%s\n", escaper.Replace(o.path))
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"remote", "add", "origin", url},
		{"config", "remote.origin.promisor", "true"},
		{"config", "remote.origin.partialclonefilter", "blob:none"},
		{"fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", commit},
	} {
		if _, err := g.run(nil, args...); err != nil {
			return err
		}
	}
	// A sparse checkout fetches all of its files in one go. They are read from
	// the objects: a checkout may change the ends of lines.
	if _, err := g.run(strings.NewReader(patterns.String()), "sparse-checkout", "set", "--no-cone", "--stdin"); err != nil {
		return err
	}
	if _, err := g.run(nil, "checkout", "--quiet", commit); err != nil {
		fmt.Fprintf(os.Stderr, "%v\nThe files are fetched one by one.\n", err)
	}
	var failed []error
	for _, o := range list {
		if err := g.keep(o, commit, dir); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", o.path, err))
		}
	}
	return errors.Join(failed...)
}

// escaper makes a path a pattern of .gitignore that matches it alone.
var escaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `)

// keep writes a file of the list to the folder, if its hash is as the list says.
func (g git) keep(o origin, commit, dir string) error {
	data, err := g.read(o, commit)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if o.hash == "-" {
		o.hash = hash
		fmt.Println(o)
	}
	if hash != o.hash {
		return fmt.Errorf("has the SHA-256 %s, the list says %s", hash, o.hash)
	}
	if err := os.MkdirAll(filepath.Dir(o.file(dir)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(o.file(dir), data, 0o644)
}

func (g git) read(o origin, commit string) ([]byte, error) {
	folder, packed := strings.CutSuffix(o.path, "/")
	if !packed {
		return g.run(nil, "cat-file", "blob", commit+":"+o.path)
	}
	names, err := g.run(nil, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit+":"+folder)
	if err != nil {
		return nil, err
	}
	var members []member
	var wanted bytes.Buffer
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		members = append(members, member{name: name})
		fmt.Fprintf(&wanted, "%s:%s/%s\n", commit, folder, name)
	}
	objects, err := g.run(&wanted, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(objects))
	for i := range members {
		if members[i].data, err = readObject(r); err != nil {
			return nil, fmt.Errorf("%s: %w", members[i].name, err)
		}
	}
	return pack(members)
}

// readObject reads an object of "git cat-file --batch": a line of its name,
// type and size, its bytes and a line feed.
func readObject(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	size, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil || size > maxFile {
		return nil, errors.New("it is missing or too large")
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	_, err = r.Discard(1)
	return data, err
}

// git runs git in a folder.
type git struct {
	ctx context.Context
	dir string
}

func (g git) run(stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1")
	cmd.Stdin = stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
