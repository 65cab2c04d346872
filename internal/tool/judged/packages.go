package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/test/mp4test"
)

// errNotFetched reports that a package is missing.
var errNotFetched = errors.New("the packages of the judged collection are not fetched")

// A pinned is a version of a package.
type pinned struct {
	version string
	hash    string // SHA-256, in hexadecimal
	pool    string // path in Debian's archive
}

const pinnedList = "packages.tsv"

// readPinned reads the list of packages: name, version, SHA-256 and path, with tabs.
func readPinned() (map[string]pinned, error) {
	text, err := data.ReadFile("testdata/" + pinnedList)
	if err != nil {
		return nil, err
	}
	list := make(map[string]pinned)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s: %q has %d columns, not 4", pinnedList, line, len(f))
		}
		list[f[0]] = pinned{version: f[1], hash: f[2], pool: f[3]}
	}
	return list, nil
}

// packages returns the names of the packages of the files, in order.
func (c *collection) packages() []string {
	names := make(map[string]bool)
	for _, f := range c.files {
		names[f.Package] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// pin writes the list anew, from what apt-get would download here. It is run at the
// root of the module.
func (c *collection) pin(ctx context.Context) error {
	var list strings.Builder
	for _, name := range c.packages() {
		out, err := exec.CommandContext(ctx, "apt-cache", "show", "--no-all-versions", name).Output()
		if err != nil {
			return fmt.Errorf("apt-cache show %s: %w", name, err)
		}
		fields := make(map[string]string)
		for line := range strings.Lines(string(out)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			fields[key] = value
		}
		fmt.Fprintf(&list, "%s\t%s\t%s\t%s\n", name, fields["Version"], fields["SHA256"], fields["Filename"])
	}
	return os.WriteFile(filepath.Join("internal", "tool", "judged", "testdata", pinnedList), []byte(list.String()), 0o644)
}

// cacheDir returns the folder of the packages.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "citekit-judged"), err
}

// deb returns where a package is kept, by its hash.
func (c *collection) deb(name string) (string, error) {
	p, ok := c.pinned[name]
	if !ok {
		return "", fmt.Errorf("%s does not pin %s: run go run ./internal/tool/judged pin", pinnedList, name)
	}
	dir, err := cacheDir()
	return filepath.Join(dir, p.hash+".deb"), err
}

// fetch brings the packages that are missing.
func (c *collection) fetch(ctx context.Context) error {
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, name := range c.packages() {
		path, err := c.deb(name)
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := c.bring(ctx, name, path); err != nil {
			return fmt.Errorf("fetch %s %s: %w", name, c.pinned[name].version, err)
		}
	}
	return nil
}

// archives have the packages: that of the present releases, and the one that keeps
// all that ever was.
var archives = []string{
	"http://deb.debian.org/debian/",
	"http://snapshot.debian.org/archive/debian/20260101T000000Z/",
}

// bring downloads a package: by apt-get, which has a mirror nearby, or from an
// archive if apt-get has no such version.
func (c *collection) bring(ctx context.Context, name, path string) error {
	p := c.pinned[name]
	deb, err := byAptGet(ctx, name, p.version)
	for _, archive := range archives {
		if err == nil && hashOf(deb) == p.hash {
			break
		}
		deb, err = download(ctx, archive+p.pool)
	}
	if err == nil && hashOf(deb) != p.hash {
		err = fmt.Errorf("its SHA-256 is %s, not %s", hashOf(deb), p.hash)
	}
	if err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, deb, 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func byAptGet(ctx context.Context, name, version string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "citekit-deb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	command := exec.CommandContext(ctx, "apt-get", "download", "-qq", name+"="+version)
	command.Dir = dir
	if err := command.Run(); err != nil {
		return nil, err
	}
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(debs) != 1 {
		return nil, fmt.Errorf("apt-get brought %d packages: %w", len(debs), err)
	}
	return os.ReadFile(debs[0])
}

func download(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return io.ReadAll(response.Body)
}

// unpack writes the files of the collection to a folder.
func (c *collection) unpack(ctx context.Context, dir string) error {
	for _, name := range c.packages() {
		path, err := c.deb(name)
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%w: %s", errNotFetched, name)
		}
		wanted := make(map[string][]*file)
		for _, f := range c.files {
			if f.Package == name {
				wanted[f.Path] = append(wanted[f.Path], f)
			}
		}
		if err := unpackDeb(ctx, path, wanted, dir); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// unpackDeb writes the wanted files of a package, which are given by their paths.
func unpackDeb(ctx context.Context, deb string, wanted map[string][]*file, dir string) error {
	archive, err := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb).Output()
	if err != nil {
		return fmt.Errorf("dpkg-deb: %w", err)
	}
	for members := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := members.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		path := strings.TrimPrefix(h.Name, "./")
		if wanted[path] == nil || h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(members)
		if err != nil {
			return err
		}
		for _, f := range wanted[path] {
			if err := f.write(dir, text); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		delete(wanted, path)
	}
	if len(wanted) > 0 {
		return fmt.Errorf("the package has no file %s", slices.Sorted(maps.Keys(wanted))[0])
	}
	return nil
}

// write writes the file to a folder, from its bytes in the package.
func (f *file) write(dir string, text []byte) error {
	if strings.HasSuffix(f.Path, ".gz") && !strings.HasSuffix(f.Name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err == nil {
			text, err = io.ReadAll(z)
		}
		if err != nil {
			return err
		}
	}
	if f.Lines != [2]int{} {
		lines := bytes.SplitAfter(text, []byte("\n"))
		if f.Lines[0] < 1 || f.Lines[0] > f.Lines[1] || f.Lines[1] > len(lines) {
			return fmt.Errorf("lines %v of %d", f.Lines, len(lines))
		}
		text = bytes.Join(lines[f.Lines[0]-1:f.Lines[1]], nil)
	}
	if f.Cues {
		text = []byte(cues(string(text)))
	}
	if f.isCues() {
		if err := os.WriteFile(filepath.Join(dir, f.recording()), mp4test.PCM(lastCue(text), 1000, 1), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, f.Name), text, 0o600)
}

// isCues reports whether a file has cues. Beside each of them a recording is made, of
// a tone, to which the cues belong.
func (f *file) isCues() bool {
	return slices.Contains([]string{".vtt", ".srt"}, filepath.Ext(f.Name))
}

// recording returns the name of the recording beside a file with cues.
func (f *file) recording() string {
	return strings.TrimSuffix(f.Name, filepath.Ext(f.Name)) + ".m4a"
}

// timing is the line of a cue that says when it is heard, with the number before it.
var timing = lazyregexp.New(`(?m)^(?:\d+\r?\n)?\d\d:[\d:.,]+ --> (?:(\d\d):)?(\d\d):(\d\d)[.,](\d+).*$`)

// lastCue returns when the last cue ends, in seconds.
func lastCue(text []byte) (seconds float64) {
	for _, m := range timing.FindAllSubmatch(text, -1) {
		hours, _ := strconv.Atoi(string(m[1])) // may be left out
		minutes, _ := strconv.Atoi(string(m[2]))
		rest, _ := strconv.Atoi(string(m[3]))
		seconds = max(seconds, float64(hours*3600+minutes*60+rest+1))
	}
	return seconds
}

// cues returns WebVTT of a text that is read aloud at 15 characters a second, with a
// cue for each 70 characters or less.
func cues(text string) string {
	const speed, width = 15, 70
	b := new(strings.Builder)
	b.WriteString("WEBVTT\n")
	start := time.Duration(0)
	stamp := func(at time.Duration) string { return time.Unix(0, 0).UTC().Add(at).Format("15:04:05.000") }
	var cue []string
	n := 0
	flush := func() {
		end := start + time.Duration(n)*time.Second/speed
		fmt.Fprintf(b, "\n%s --> %s\n%s\n", stamp(start), stamp(end), strings.Join(cue, " "))
		cue, n, start = nil, 0, end
	}
	for word := range strings.FieldsSeq(text) {
		if n > 0 && n+len(word) > width {
			flush()
		}
		cue, n = append(cue, word), n+len(word)+1
	}
	if n > 0 {
		flush()
	}
	return b.String()
}
