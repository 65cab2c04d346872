package logfile_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/command/internal/logfile"
)

func TestFileIsAppendedTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	for _, line := range []string{"one\n", "two\n"} {
		f, err := logfile.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%q: %d, %v", line, n, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := read(t, path); got != "one\ntwo\n" {
		t.Errorf("%q", got)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("mode %o", mode)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReopen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed")
	}
	path := filepath.Join(t.TempDir(), "audit.log")
	f, err := logfile.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "before")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "between")
	if err := f.Reopen(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "after")
	if old, now := read(t, path+".1"), read(t, path); old != "before\nbetween\n" || now != "after\n" {
		t.Errorf("%q, %q", old, now)
	}

	// What cannot be opened again goes on where it was.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.Reopen(); err == nil {
		t.Error("a folder was opened as a log")
	}
	fmt.Fprintln(f, "on")
	if f.Lost() != 0 {
		t.Errorf("%d lines lost", f.Lost())
	}
}

func TestLostLinesAreToldOnce(t *testing.T) {
	var told bytes.Buffer
	path := filepath.Join(t.TempDir(), "audit\x1b[31m.log")
	if runtime.GOOS == "windows" {
		path = filepath.Join(t.TempDir(), "audit.log")
	}
	f, err := logfile.Open(path, &told)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 3 {
		if n, err := f.Write([]byte("line\n")); n != 5 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if f.Lost() != 3 || strings.Count(told.String(), "\n") != 1 || strings.Contains(told.String(), "\x1b") {
		t.Errorf("%d lost, told %q", f.Lost(), told.String())
	}
	if err := f.Reopen(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed log: %v", err)
	}
}

// TestFullDisk writes to the device that is always full.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	var told bytes.Buffer
	f, err := logfile.Open("/dev/full", &told)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	logger := slog.New(logfile.NewHandler(f, logfile.JSON, nil))
	logger.Info("one")
	logger.Info("two")
	if f.Lost() != 2 || told.String() != "citekit: the log /dev/full cannot be written, and lines are lost: no space left on device\n" {
		t.Errorf("%d lost, told %q", f.Lost(), told.String())
	}
}

// TestGap has a disk that is full and then has room again: what is in the log says
// how many lines are missing, and where.
func TestGap(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	f, err := logfile.Open(path, &told)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Gap = logfile.GapLine(logfile.JSON)
	logger := slog.New(logfile.NewHandler(f, logfile.JSON, nil))
	fill := func() {
		logger.Info("one")
		fmt.Fprint(f, "{\"msg\":\"two\"}\n{\"msg\":\"three\"}\n")
	}
	fill()
	if err := errors.Join(os.Remove(path), f.Reopen()); err != nil {
		t.Fatal(err)
	}
	logger.Info("four")
	logger.Info("five")
	all := lines(t, []byte(read(t, path)))
	if len(all) != 3 || all[0]["lines"] != 3.0 || all[0]["level"] != "ERROR" || all[1]["msg"] != "four" || all[2]["msg"] != "five" {
		t.Errorf("%v", all)
	}

	// What is lost last is told at the end.
	if err := errors.Join(os.Rename(path, path+".1"), os.Symlink("/dev/full", path), f.Reopen()); err != nil {
		t.Fatal(err)
	}
	fill()
	f.Close()
	if text := told.String(); strings.Count(text, "\n") != 3 || !strings.HasSuffix(text, " are lost: 3\n") || f.Lost() != 6 {
		t.Errorf("%d lost, told %q", f.Lost(), text)
	}
}

func TestWhatIsNoLog(t *testing.T) {
	dir := t.TempDir()
	if f, err := logfile.Open(dir, nil); err == nil {
		f.Close()
		t.Error("a folder was opened")
	}
	if _, err := logfile.Open(filepath.Join(dir, "gone", "audit.log"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

func TestConcurrentWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := logfile.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(logfile.NewHandler(f, logfile.JSON, nil))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				logger.Info("line", "i", i, "text", "\u202e")
				if i == 0 {
					if err := f.Reopen(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	f.Close()
	if n := len(lines(t, []byte(read(t, path)))); n != 800 {
		t.Errorf("%d lines", n)
	}
}

// lines returns the objects of a log, whose lines must all be printable.
func lines(t *testing.T, log []byte) (all []map[string]any) {
	t.Helper()
	scanner := bufio.NewScanner(bytes.NewReader(log))
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var object map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &object); err != nil {
			t.Fatalf("%v: %.200q", err, scanner.Text())
		}
		checkPrintable(t, scanner.Text())
		all = append(all, object)
	}
	return all
}

func checkPrintable(t *testing.T, line string) {
	t.Helper()
	if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("not printable: %.200q", line)
	}
}

var hostile = []string{
	"a\nb\r\n{\"level\":\"ERROR\"}", "\x1b[2J\x1b]0;title\x07", "\xff\xfe\x80", "\u202eabc\u2066\u2069", "\u0085\u2028\u2029", "\x00\x7f\u009b31m",
	"\U000e0001\U000e0041", "\u00a0\u3000", "\ufeff\u200b\u200d", "plain é 漢字 🙂", `"\`, "\ufffd",
}

func TestHostileText(t *testing.T) {
	for _, format := range []logfile.Format{logfile.Text, logfile.JSON} {
		for _, text := range hostile {
			var out bytes.Buffer
			logger := slog.New(logfile.NewHandler(&out, format, nil)).With(text, text).WithGroup("g" + text)
			logger.Info(text, "string", text, "error", errors.New(text), text, []string{text}, "bytes", []byte(text), "any", map[string]string{text: text})
			line, ok := strings.CutSuffix(out.String(), "\n")
			if !ok {
				t.Errorf("%v %q: no line: %q", format, text, out.String())
			}
			checkPrintable(t, line)
			if format == logfile.JSON {
				if got := lines(t, out.Bytes())[0]["msg"]; got != strings.ToValidUTF8(text, "\ufffd\ufffd\ufffd") && got != text {
					t.Errorf("%q is read as %q", text, got)
				}
			}
		}
	}
}

func TestLevel(t *testing.T) {
	var out bytes.Buffer
	level := new(slog.LevelVar)
	logger := slog.New(logfile.NewHandler(&out, logfile.Text, level))
	logger.Debug("one")
	level.Set(slog.LevelDebug)
	logger.Debug("two")
	if strings.Contains(out.String(), "one") || !strings.Contains(out.String(), "msg=two") {
		t.Errorf("%q", out.String())
	}
}

func FuzzHandler(f *testing.F) {
	for _, text := range append(hostile, "\x7f") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []logfile.Format{logfile.Text, logfile.JSON} {
			var out bytes.Buffer
			slog.New(logfile.NewHandler(&out, format, nil)).Info(text, "key"+text, text)
			line, ok := strings.CutSuffix(out.String(), "\n")
			if !ok {
				t.Fatalf("no line: %q", out.String())
			}
			checkPrintable(t, line)
			if format == logfile.JSON && !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %q", line)
			}
		}
	})
}
