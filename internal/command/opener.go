package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// opened are the extensions of evidence that another program may open. Others are
// refused: a text keeps the extension of its source, and the program might run it.
var opened = []string{
	".pdf", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp", ".heic", ".avif",
	".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mp3", ".m4a", ".wav", ".flac", ".ogg", ".opus", ".aac",
}

// checkOpened returns an error unless the extension of a file is in opened.
func checkOpened(path string) error {
	if kind := strings.ToLower(filepath.Ext(path)); !slices.Contains(opened, kind) {
		return fmt.Errorf("--open: a file of the type '%s' is not opened, as that might run it; its path is above", kind)
	}
	return nil
}

// opener returns the command that opens a file or a link on an operating system.
func opener(system, path string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", []string{path}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", path}
	}
	return "xdg-open", []string{path}
}

// openFile opens a file with the program that the person has chosen for its type. It
// does not wait for the program.
func openFile(path string) error {
	path, err := filepath.Abs(path)
	if err == nil {
		err = checkOpened(path)
	}
	if err != nil {
		return err
	}
	name, args := opener(runtime.GOOS, path)
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--open: the program %s, which opens files here, is not installed; the path of the evidence is above", name)
		}
		return fmt.Errorf("--open: %w", err)
	}
	return cmd.Process.Release()
}

// linkOpener returns the command that opens a link on an operating system, and its
// standard input. On macOS others can read the arguments of a program, so the link, which
// may have a token, is not there; on Windows they cannot, and on Linux the server shuts
// them out.
func linkOpener(system, link string) (name string, args []string, input string) {
	if system == "darwin" {
		return "/usr/bin/osascript", []string{"-"}, fmt.Sprintf("open location %q\n", link)
	}
	name, args = opener(system, link)
	return name, args, ""
}

// openLink opens a link in the browser that the person has chosen. It does not wait: if
// that cannot be done, failed is called, also later.
func openLink(link string, failed func(error)) {
	name, args, input := linkOpener(runtime.GOOS, link)
	cmd := exec.Command(name, args...)
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		failed(fmt.Errorf("the program %s, which opens links here, cannot be started", name))
		return
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			failed(fmt.Errorf("%s opened no browser: %w", name, err))
		}
	}()
}
