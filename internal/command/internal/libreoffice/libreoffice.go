// Package libreoffice runs LibreOffice to lay out a document as PDF. Each run
// has its own temporary profile, runs no macros, follows no links, and has
// bounded time and memory. It has no network if this machine can isolate it;
// [Command.Isolated] reports that.
package libreoffice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/localfile"
)

// A Command is an installed LibreOffice. It is safe for concurrent use; runs are
// one at a time.
type Command struct {
	path    string
	isolate []string // the command that runs it without a network; empty without one

	versionMu sync.Mutex
	version   string // "" until it is known

	running sync.Mutex
}

const (
	timeout   = 10 * time.Minute // up to twenty times as long on a slow machine
	probeTime = 2 * time.Minute  // of a program that does nothing
	maxMemory = 3 << 30          // bytes of address space, most of it never used
	maxOutput = 1 << 30          // bytes of a PDF
)

// yardstick is what the program takes, in processor time, to print its version.
const yardstick = 200 * time.Millisecond

const howToInstall = "install it (Debian: apt-get install --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui)"

// programs are the names of the LibreOffice program.
var programs = []string{"soffice", "libreoffice"}

// Find returns the LibreOffice of this machine. If it is not installed, the
// error matches [errors.ErrUnsupported] and says how to install it. If the
// machine is too slow to tell whether it can be isolated, the error matches
// [os.ErrDeadlineExceeded].
func Find(ctx context.Context) (*Command, error) {
	for _, name := range programs {
		if path, err := child.Find(name); err == nil {
			isolate, err := isolation(ctx)
			if err != nil {
				return nil, err
			}
			return &Command{path: path, isolate: isolate}, nil
		}
	}
	return nil, fmt.Errorf("LibreOffice is not installed; %s: %w", howToInstall, errors.ErrUnsupported)
}

// isolation returns a program, with its arguments, that runs another program
// without a network, or nil if this machine has or allows none.
func isolation(ctx context.Context) ([]string, error) {
	if runtime.GOOS != "linux" {
		return nil, nil
	}
	path, err := child.Find("unshare")
	if err != nil {
		return nil, nil
	}
	args := []string{"--map-root-user", "--net"}
	probe := child.Program{Path: path, Args: append(args, "true"), Env: child.Environment(nil), Stdout: io.Discard, Timeout: probeTime}
	_, err = probe.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, child.ErrTimeout):
		return nil, fmt.Errorf("unshare was not done after %v; try again when the machine is less busy: %w", probeTime, os.ErrDeadlineExceeded)
	case err != nil:
		return nil, nil
	}
	return append([]string{path}, args...), nil
}

// Isolated reports whether the program runs without a network. Otherwise its
// settings forbid the network, but it may ignore them for some links in a
// document.
func (c *Command) Isolated() bool { return len(c.isolate) > 0 }

// Version returns the version that the program prints, such as "LibreOffice
// 7.4.7.2", or "LibreOffice" if it prints none. The error is ctx.Err() once ctx
// is done, or matches [os.ErrDeadlineExceeded] if the program does not end.
func (c *Command) Version(ctx context.Context) (string, error) {
	c.versionMu.Lock()
	defer c.versionMu.Unlock()
	if c.version != "" {
		return c.version, nil
	}
	version, err := child.Version(ctx, c.path, "--version")
	if errors.Is(err, child.ErrTimeout) {
		err = fmt.Errorf("LibreOffice does not print its version; try again when the machine is less busy: %w", os.ErrDeadlineExceeded)
	}
	if err != nil {
		return "", err
	}
	c.version = strings.TrimSpace("LibreOffice " + version)
	return c.version, nil
}

// PDF lays out a document and calls use with the PDF, which is deleted when use
// returns. The extension ext, such as ".docx", names the format of the
// document. Errors match [citekit.ErrFormat] if the program cannot read it,
// [citekit.ErrTooLarge] if the PDF is too large, [os.ErrDeadlineExceeded] if the
// program is not done in time, and ctx.Err() once ctx is done.
func (c *Command) PDF(ctx context.Context, document io.Reader, ext string, use func(pdf io.Reader, size int64) error) error {
	c.running.Lock()
	defer c.running.Unlock()
	localfile.SweepScratch(scratchPrefix)
	temp, err := localfile.NewScratch(scratchPrefix)
	if err != nil {
		return err
	}
	defer temp.Remove()
	dir := temp.Path()
	source, profile, out := filepath.Join(dir, "document"+ext), filepath.Join(dir, "profile"), filepath.Join(dir, "out")
	if err := write(source, document); err != nil {
		return err
	}
	if err := writeProfile(profile); err != nil {
		return err
	}
	if err := c.run(ctx, dir, profile, out, source); err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(out, "document.pdf"))
	if err != nil {
		return fmt.Errorf("LibreOffice cannot read the document: %w", citekit.ErrFormat)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxOutput {
		return fmt.Errorf("LibreOffice made a PDF of %d bytes; at most %d: %w", info.Size(), maxOutput, citekit.ErrTooLarge)
	}
	return use(f, info.Size())
}

// scratchPrefix begins the names of the temporary folders of runs.
const scratchPrefix = "citekit-render-"

// run lays out documents in one run of the program.
func (c *Command) run(ctx context.Context, dir, profile, out string, sources ...string) error {
	command := append(c.isolate[:len(c.isolate):len(c.isolate)], c.path,
		"-env:UserInstallation="+(&url.URL{Scheme: "file", Path: filepath.ToSlash(profile)}).String(),
		"--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard", "--nologo",
		"--convert-to", "pdf", "--outdir", out)
	command = append(command, sources...)
	program := child.Program{
		Path: command[0], Args: command[1:], Dir: dir,
		Env: child.Environment([]string{
			"HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C.UTF-8", "SAL_USE_VCLPLUGIN=svp",
			"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9", "no_proxy=",
		}),
		Stdout: io.Discard, Timeout: timeout, Memory: maxMemory,
		Yardstick: &child.Yardstick{Args: append(command[1:len(c.isolate)+1:len(c.isolate)+1], "--version"), Usual: yardstick},
	}
	_, err := program.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, child.ErrTimeout):
		return fmt.Errorf("LibreOffice was not done after %v; try again when the machine is less busy: %w", timeout, os.ErrDeadlineExceeded)
	case err != nil:
		return fmt.Errorf("LibreOffice failed on the document: %w", citekit.ErrFormat)
	}
	return nil
}

func write(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// settings are those of a profile that runs nothing and follows nothing: no
// macros, even signed ones, no active content, links that are never updated,
// and a proxy that does not exist.
var settings = []struct{ path, name, value string }{
	{"/org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"},
	{"/org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"},
	{"/org.openoffice.Office.Common/Security/Scripting", "DisableActiveContent", "true"},
	{"/org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"},
	{"/org.openoffice.Office.Writer/Content/Update", "Link", "0"},
	{"/org.openoffice.Office.Calc/Content/Update", "Link", "2"},
	{"/org.openoffice.Inet/Settings", "ooInetProxyType", "2"},
	{"/org.openoffice.Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"},
	{"/org.openoffice.Inet/Settings", "ooInetHTTPProxyPort", "9"},
	{"/org.openoffice.Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"},
	{"/org.openoffice.Inet/Settings", "ooInetHTTPSProxyPort", "9"},
}

// writeProfile writes a profile with the settings.
func writeProfile(dir string) error {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
`)
	for _, s := range settings {
		fmt.Fprintf(&b, `<item oor:path="%s"><prop oor:name="%s" oor:op="fuse"><value>%s</value></prop></item>`+"\n", s.path, s.name, s.value)
	}
	b.WriteString("</oor:items>\n")
	user := filepath.Join(dir, "user")
	if err := os.MkdirAll(user, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(b.String()), 0o600)
}
