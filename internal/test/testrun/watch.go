package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// watchCommand is the first argument when "go test -exec" runs this program in place of
// a test; the file of times and the test with its arguments follow.
const watchCommand = "watch"

// A testTime is how long a test took. Times of tests that run beside each other include
// those of the others.
type testTime struct {
	Package, Test string
	Elapsed, CPU  time.Duration
}

// watch runs a test program, and appends a timing for each of its tests to a file. It
// returns the exit code of the program.
func watch(file string, command []string) int {
	test := exec.Command(command[0], command[1:]...)
	test.Stdin, test.Stderr = os.Stdin, os.Stderr
	out, err := test.StdoutPipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := test.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGTERM, os.Interrupt)
	go func() {
		for s := range signals {
			test.Process.Signal(s)
		}
	}()
	w := watcher{pid: test.Process.Pid, name: packageName(), clock: time.Now, running: make(map[string]testTime)}
	w.copy(os.Stdout, out)
	err = test.Wait()
	w.write(file)
	if code := test.ProcessState.ExitCode(); err != nil && code > 0 {
		return code
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type watcher struct {
	pid     int
	name    string // of the package
	clock   func() time.Time
	running map[string]testTime // what was used when a test began, by the name of the test; of one that is paused, what it used
	ended   []testTime
}

// copy copies what a test program prints, and notes when tests begin and end.
func (w *watcher) copy(to io.Writer, from io.Reader) {
	r := bufio.NewReader(from)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			to.Write(line)
			w.note(line)
		}
		if err != nil {
			return
		}
	}
}

var (
	runMark   = []byte("=== RUN   ")
	pauseMark = []byte("=== PAUSE ") // of a parallel test, which waits for those before it
	contMark  = []byte("=== CONT  ")
	endMark   = []byte("--- ")
)

func (w *watcher) note(line []byte) {
	line, marked := bytes.CutPrefix(bytes.TrimSpace(line), []byte{0x16}) // of -test.v=test2json
	if !marked {
		return
	}
	if name, ok := bytes.CutPrefix(line, runMark); ok {
		w.running[string(name)] = w.now()
		return
	}
	if name, ok := bytes.CutPrefix(line, pauseMark); ok {
		w.running[string(name)] = w.since(w.running[string(name)])
		return
	}
	if name, ok := bytes.CutPrefix(line, contMark); ok {
		w.running[string(name)] = w.since(w.running[string(name)])
		return
	}
	if !bytes.HasPrefix(line, endMark) {
		return
	}
	words := strings.Fields(string(line))
	if len(words) < 3 || strings.Contains(words[2], "/") {
		return
	}
	if began, ok := w.running[words[2]]; ok {
		took := w.since(began)
		w.ended = append(w.ended, testTime{w.name, words[2], took.Elapsed, took.CPU})
	}
}

func (w *watcher) now() testTime {
	return testTime{Elapsed: time.Duration(w.clock().UnixNano()), CPU: treeTime(w.pid)}
}

// since returns what was used since a test began. Of that, since returns when a test
// that goes on would have begun if it had not paused.
func (w *watcher) since(began testTime) testTime {
	now := w.now()
	return testTime{Elapsed: now.Elapsed - began.Elapsed, CPU: now.CPU - began.CPU}
}

func (w *watcher) write(file string) {
	var lines bytes.Buffer
	for _, t := range w.ended {
		line, _ := json.Marshal(t)
		lines.Write(append(line, '\n'))
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(lines.Bytes()) // at once: several programs append to the file
}

// treeTime returns the processor time of a process and of those of its children that
// have ended, or 0 on a system without /proc.
func treeTime(pid int) time.Duration {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(data[bytes.LastIndexByte(data, ')')+1:]), " ")
	fields := strings.Fields(after) // from the third on: see proc_pid_stat(5)
	const user, ticks = 14 - 3, 100
	var total int
	for i := user; i < user+4 && i < len(fields); i++ {
		n, _ := strconv.Atoi(fields[i])
		total += n
	}
	return time.Duration(total) * time.Second / ticks
}

// packageName returns the directory of the package that is tested, below the module.
func packageName() string {
	dir, err := os.Getwd()
	if err != nil {
		return "?"
	}
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			rel, _ := filepath.Rel(root, dir)
			return filepath.ToSlash(rel)
		}
	}
	return dir
}
