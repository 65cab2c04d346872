package command

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// openTerminal makes a terminal of 80 columns and 24 rows, of 640 by 384 pixels. The
// first of its ends is what a person has, the second what a program has.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	t.Cleanup(func() { person.Close() })
	must(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	must(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { program.Close() })
	must(t, unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80, Xpixel: 640, Ypixel: 384}))
	return person, program
}

// onTerminal runs the command on a terminal, which answers the question for its
// attributes, and returns what comes there.
func onTerminal(t *testing.T, attributes string, env []string, args ...string) string {
	t.Helper()
	person, program := openTerminal(t)
	c := exec.Command("citekit", args...)
	c.Env = append(os.Environ(), append([]string{"TMUX=", "TERM=xterm", "TERM_PROGRAM=", "KITTY_WINDOW_ID=", "LC_TERMINAL=", "COLUMNS="}, env...)...)
	c.Stdin, c.Stdout, c.Stderr = program, program, program
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, c.Start())
	program.Close()
	var came bytes.Buffer
	asked := false
	for b := make([]byte, 4096); ; {
		n, err := person.Read(b)
		came.Write(b[:n])
		if err != nil { // the last program that had the terminal ended
			break
		}
		if !asked && bytes.Contains(came.Bytes(), []byte("\x1b[c")) {
			asked = true
			_, err := io.WriteString(person, attributes)
			must(t, err)
		}
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %v: %q", args, err, came.String())
	}
	return came.String()
}

func TestShow(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	large := image.NewGray(image.Rect(0, 0, 1000, 500))
	for i := range large.Pix {
		large.Pix[i] = uint8(i % 1000 / 4)
	}
	small := image.NewGray(image.Rect(0, 0, 40, 30))
	small.SetGray(7, 5, color.Gray{Y: 255})
	for name, m := range map[string]image.Image{"large.png": large, "small.png": small} {
		var b bytes.Buffer
		must(t, png.Encode(&b, m))
		must(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("one\n"), 0o600))

	got := onTerminal(t, "\x1b[?62;4;22c", nil, "--dir", dir, "resolve", "large.png", "--show")
	// 23 rows of 16 pixels are 368.
	if !strings.Contains(got, "image://large") || !strings.Contains(got, "\x1bPq\"1;1;368;184#0;2;") || !strings.Contains(got, "\x1b\\") {
		t.Errorf("sixels: %.300q", got)
	}
	got = onTerminal(t, "\x1b[?1;2c", nil, "--dir", dir, "resolve", "large.png", "--show")
	if !strings.Contains(got, "image://large") || !strings.Contains(got, "citekit: --show: this terminal shows no pictures") || strings.Contains(got, "\x1bP") {
		t.Errorf("no sixels: %.300q", got)
	}
	got = onTerminal(t, "", []string{"TERM_PROGRAM=WezTerm"}, "--dir", dir, "resolve", "small.png", "--show")
	part := regexp.MustCompile(`\x1b\]1337;File=inline=1;size=\d+:([^\a]*)\a`).FindStringSubmatch(got)
	if part == nil || strings.Contains(got, "\x1b[c") {
		t.Fatalf("inline image: %.300q", got)
	}
	data, err := base64.StdEncoding.DecodeString(part[1])
	must(t, err)
	shown, err := png.Decode(bytes.NewReader(data))
	must(t, err)
	for y := range 30 {
		for x := range 40 {
			if got, want := color.GrayModel.Convert(shown.At(x, y)), small.At(x, y); got != want || shown.Bounds() != small.Bounds() {
				t.Fatalf("%v at %d,%d, want %v", got, x, y, want)
			}
		}
	}
	got = onTerminal(t, "", []string{"TERM=xterm-kitty"}, "--dir", dir, "resolve", "notes.txt", "--show")
	if !strings.Contains(got, "text://notes") || !strings.Contains(got, "citekit: --show: ") || !strings.Contains(got, "unsupported") {
		t.Errorf("no picture of text: %.300q", got)
	}
}
