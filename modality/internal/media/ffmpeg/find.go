package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/lazyregexp"
)

// The oldest version that has every option used here.
const (
	oldestMajor = 5
	oldestMinor = 1
)

const howToInstall = "install ffmpeg (Debian: apt-get install ffmpeg; macOS: brew install ffmpeg; Windows: winget install ffmpeg)"

// A MissingError reports a program that is missing or too old. It matches
// [errors.ErrUnsupported].
type MissingError struct {
	Program    string // "ffmpeg" or "ffprobe"
	Configured bool   // a path was configured, but no program runs there
	Version    string // version found, if it is too old
}

func (e *MissingError) Error() string {
	switch {
	case e.Version != "":
		return fmt.Sprintf("this format needs %s %d.%d or later, found %s: %s", e.Program, oldestMajor, oldestMinor, e.Version, howToInstall)
	case e.Configured:
		return fmt.Sprintf("this format needs %s, and the configured one cannot be run: correct its path or %s", e.Program, howToInstall)
	}
	return fmt.Sprintf("this format needs %s, which is not installed: %s or set its path in the resolver", e.Program, howToInstall)
}

// Is reports whether target is [errors.ErrUnsupported].
func (e *MissingError) Is(target error) bool { return target == errors.ErrUnsupported }

const (
	programFFmpeg  = "ffmpeg"
	programFFprobe = "ffprobe"
)

// find returns the absolute path of a program.
func (t *Tools) find(program string) (string, error) {
	name := t.configured(program)
	if name == "" {
		name = program
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", &MissingError{Program: program, Configured: t.configured(program) != ""}
	}
	return path, nil
}

// Programs returns the versions of the programs found, by name, and the names of the
// missing ones.
func (t *Tools) Programs(ctx context.Context) (found map[string]string, missing []string) {
	found = make(map[string]string)
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, program := range []string{programFFmpeg, programFFprobe} {
		path, err := t.find(program)
		if err != nil {
			missing = append(missing, program)
			continue
		}
		asking.Go(func() {
			version, _ := child.Version(ctx, path, "-version")
			mu.Lock()
			defer mu.Unlock()
			found[program] = version
		})
	}
	asking.Wait()
	return found, missing
}

func (t *Tools) configured(program string) string {
	if program == programFFprobe {
		return t.FFprobe
	}
	return t.FFmpeg
}

// diagnose looks for the cause of a failure in the program itself: if it does not know
// an option it may be too old, and if it prints nothing it may be another program. It
// runs only after a failure, because it takes as long as many conversions.
func (t *Tools) diagnose(ctx context.Context, program, path string, failure error) error {
	if !errors.Is(failure, errors.ErrUnsupported) && !errors.Is(failure, errSilent) {
		return failure
	}
	banner := child.Head{Max: maxTail}
	err := t.run(ctx, command{path: path, args: []string{"-version"}, stdout: &banner})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !strings.HasPrefix(string(banner.Kept), program+" version") {
		return &MissingError{Program: program, Configured: t.configured(program) != ""}
	}
	if version, old := tooOld(string(banner.Kept)); old {
		return &MissingError{Program: program, Version: version}
	}
	return failure
}

var versionBanner = lazyregexp.New(`^ff\w+ version n?(\d+)\.(\d+)`)

// tooOld reads the first line of the output of -version. Builds between releases have
// no number there and count as new.
func tooOld(banner string) (version string, old bool) {
	m := versionBanner.FindStringSubmatch(banner)
	if m == nil {
		return "", false
	}
	major, errMajor := strconv.Atoi(m[1])
	minor, errMinor := strconv.Atoi(m[2])
	if errMajor != nil || errMinor != nil {
		return "", false
	}
	return m[1] + "." + m[2], major < oldestMajor || major == oldestMajor && minor < oldestMinor
}
