package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/modality"
)

// What the machine should offer.
const (
	leastMemory  = 1 << 30         // bytes
	leastFiles   = 1024            // open at a time
	languageTime = 2 * time.Minute // which only a program that hangs needs
)

// checkMachine checks what does not depend on a base directory.
func (d *doctor) checkMachine(ctx context.Context) {
	d.checkPrograms(ctx)
	d.checkTemp()
	d.checkKeyOfEvidence()
	d.checkResources()
	d.checkProxies()
	if d.now.Year() < 2025 {
		d.fault("clock", "set the clock, or have it set over the network", "it says %s; certificates and keys expire by it", d.now.Format(time.DateOnly))
	}
}

// A neededProgram is a program that some formats need.
type neededProgram struct{ without, remedy string }

var neededPrograms = map[string]neededProgram{
	"ffmpeg":    {"no clips of mkv, webm, ts, avi, mp3, flac and ogg, no scenes or silences, and no frames of videos", "install ffmpeg 5.1 or later (Debian: apt-get install ffmpeg)"},
	"ffprobe":   {"the duration of recordings other than MP4, QuickTime and WAV is unknown, so they get no map", "install ffmpeg 5.1 or later, which includes ffprobe"},
	"tesseract": {"no text of images and scanned pages", "install tesseract 4 or later (Debian: apt-get install tesseract-ocr)"},
}

// checkPrograms looks for the programs that resolvers run.
func (d *doctor) checkPrograms(ctx context.Context) {
	resolvers := modality.All()
	for _, m := range []citekit.Modality{citekit.Video, citekit.Image} {
		user, ok := resolvers[m].(stats.ProgramUser)
		if !ok {
			continue
		}
		found, missing := user.Programs(ctx)
		for _, name := range []string{"ffmpeg", "ffprobe", "tesseract"} {
			if version, ok := found[name]; ok {
				d.checkVersion(ctx, name, version)
			}
		}
		for _, name := range missing {
			d.warning("program "+name, neededPrograms[name].remedy, "not found: %s", neededPrograms[name].without)
		}
	}
}

var versionForm = lazyregexp.New(`^v?(\d+)(?:\.(\d+))?`)

// checkVersion reports the version of a program, and whether it is too old.
func (d *doctor) checkVersion(ctx context.Context, name, version string) {
	subject, old := "program "+name, false
	if parts := versionForm.FindStringSubmatch(version); parts != nil {
		major, _ := strconv.Atoi(parts[1])
		minor, _ := strconv.Atoi(parts[2])
		old = name == "tesseract" && major < 4 || name != "tesseract" && (major < 5 || major == 5 && minor < 1)
	}
	switch {
	case old:
		d.warning(subject, neededPrograms[name].remedy, "version %s is too old", version)
	case version == "":
		d.warning(subject, "run it by hand", "found, but it does not say its version")
	case name == "tesseract":
		d.checkLanguages(ctx, version)
	default:
		d.ok(subject, "version %s", version)
	}
}

// checkLanguages reports the languages that tesseract can read.
func (d *doctor) checkLanguages(ctx context.Context, version string) {
	const subject = "program tesseract"
	path, err := child.Find("tesseract")
	if err != nil {
		return
	}
	program := child.Program{Path: path, Args: []string{"--list-langs"}, Env: child.Environment([]string{"LC_ALL=C"}, "TESSDATA_PREFIX"), MaxOutput: 64 << 10, Timeout: languageTime}
	result, err := program.Run(ctx)
	var languages []string
	for i, line := range strings.Split(strings.TrimSpace(string(result.Output)), "\n") {
		if line = strings.TrimSpace(line); i > 0 && line != "" && line != "osd" {
			languages = append(languages, line)
		}
	}
	if errors.Is(err, child.ErrTimeout) {
		d.warning(subject, "run tesseract --list-langs by hand", "version %s; it did not list its languages within %v", version, languageTime)
		return
	}
	if err != nil || len(languages) == 0 {
		d.warning(subject, "install one (Debian: apt-get install tesseract-ocr-eng)", "version %s, without languages", version)
		return
	}
	d.ok(subject, "version %s; languages %s", version, strings.Join(languages, ", "))
}

// checkTemp checks the directory of temporary files.
func (d *doctor) checkTemp() {
	dir := os.TempDir()
	subject := "temporary files " + dir
	info, err := os.Stat(dir)
	switch {
	case err != nil || !info.IsDir():
		d.fault(subject, "make the directory, or name another with TMPDIR", "there is no such directory")
	case !mayWrite(dir):
		d.fault(subject, "let this user write there, or name another with TMPDIR", "this user may not write there")
	default:
		d.ok(subject, "can be written")
		d.checkRoom(subject, dir)
	}
}

// checkKeyOfEvidence checks the key that seals the records of evidence.
func (d *doctor) checkKeyOfEvidence() {
	opts, err := d.session.workspaceOptions()
	if err != nil {
		d.fault("key of evidence", "", "%v", err)
		return
	}
	path, open, remedy := opts.KeyFile, fs.FileMode(0o037), "chmod 640"
	if path == "" && opts.KeyDir != "" {
		path, open, remedy = filepath.Join(opts.KeyDir, "evidence.key"), 0o077, "chmod 600"
	}
	if path == "" {
		d.warning("key of evidence", "set HOME, or name a file with --key-file", "there is no place for it: each process makes evidence again")
		return
	}
	subject := "key of evidence " + path
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		d.ok(subject, "not there yet; it is made when evidence is first stored")
	case err != nil:
		d.fault(subject, "let this user read it", "it cannot be read: %v", systemError(err))
	case !info.Mode().IsRegular() || info.Size() != 32:
		d.fault(subject, "remove it; all evidence is then made again", "it is not a key of 32 bytes")
	case runtime.GOOS != "windows" && info.Mode().Perm()&open != 0:
		d.fault(subject, remedy+", or remove it if somebody may have read it: all evidence is then made again", "others may use it: its mode is %04o", info.Mode().Perm())
	default:
		if f, err := os.Open(path); err != nil {
			d.fault(subject, "let this user read it", "it cannot be read: %v", systemError(err))
		} else {
			f.Close()
			d.ok(subject, "is there")
		}
	}
}

// checkResources checks the memory and the limit on open files.
func (d *doctor) checkResources() {
	if memory := child.MachineMemory(); memory < leastMemory {
		d.warning("memory", "give the machine more, or lower limits.decoder_memory", "%s; decoders of images alone may take 384 MiB", byteSize(memory))
	} else if memory < math.MaxInt64 {
		d.ok("memory", "%s, %d CPUs", byteSize(memory), runtime.NumCPU())
	}
	files, known := openFiles()
	switch {
	case known && files < leastFiles:
		d.warning("open files", fmt.Sprintf("raise the limit (ulimit -n, LimitNOFILE=) to %d or more", leastFiles), "this user may open %d at a time; each session and each source needs one", files)
	case known:
		d.ok("open files", "%d at a time", files)
	}
}

// checkProxies reports the proxies for requests to models. It shows only the host of
// a proxy, as the rest of the URL may hold a password.
func (d *doctor) checkProxies() {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		value := os.Getenv(name)
		if value == "" {
			value = os.Getenv(strings.ToLower(name))
		}
		if value == "" {
			continue
		}
		address, err := url.Parse(value)
		if err != nil || address.Host == "" {
			address, err = url.Parse("http://" + value)
		}
		if err != nil || address.Host == "" {
			d.warning("proxy "+name, "give it as http://HOST:PORT", "it is not a URL")
			continue
		}
		d.ok("proxy "+name, "requests to models go through %s, except to hosts in NO_PROXY", address.Host)
	}
}
