package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// The oldest version that has every option used here.
const (
	oldestMajor = 5
	oldestMinor = 1
)

const howToInstall = "install ffmpeg (Debian: apt-get install ffmpeg; macOS: brew install ffmpeg; Windows: winget install ffmpeg)"

// A MissingError reports a program that is not there or is too old. It
// matches [errors.ErrUnsupported].
type MissingError struct {
	Program    string // "ffmpeg" or "ffprobe"
	Configured bool   // a path was configured, and nothing runs there
	Version    string // the version found, if that is what is wrong
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

// find returns the absolute path of a program that is new enough. What was
// found is remembered; what was not is looked for again, so that installing
// it helps at once.
func (t *Tools) find(ctx context.Context, program string) (string, error) {
	if path, ok := t.found.Load(program); ok {
		return path.(string), nil
	}
	configured := t.FFmpeg
	if program == programFFprobe {
		configured = t.FFprobe
	}
	name := configured
	if name == "" {
		name = program
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", &MissingError{Program: program, Configured: configured != ""}
	}
	if err := t.checkVersion(ctx, program, path, configured != ""); err != nil {
		return "", err
	}
	t.found.Store(program, path)
	return path, nil
}

func (t *Tools) checkVersion(ctx context.Context, program, path string, configured bool) error {
	var banner headWriter
	err := t.run(ctx, command{path: path, args: []string{"-version"}, stdout: &banner})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &MissingError{Program: program, Configured: configured}
	}
	if version, old := tooOld(banner.text); old {
		return &MissingError{Program: program, Version: version}
	}
	return nil
}

var versionBanner = regexp.MustCompile(`^ff\w+ version n?(\d+)\.(\d+)`)

// tooOld reads the first line that -version prints. Builds between releases
// have no number there and are taken to be new.
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
