package workspace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"sync"

	"github.com/citekit/citekit"
)

// A noteLog keeps the notes of a kind in one file, to which every change is
// appended. There may be a note for each of a hundred thousand sources; reading
// them from separate files would take longer than checking the sources.
//
// A line is
//
//	length TAB seal TAB stamp TAB "name" TAB =data LF
//
// where the length is in bytes and covers the text after it, without LF; the
// seal covers the text after it; and the name is quoted as in Go. Data without
// a line end follows "=" unchanged; other data is quoted, and "-" stands for a
// deleted note. The last line of a name is the valid one. If a process was
// killed or power failed during a write, the line has the wrong length and is
// skipped; the next writer ends it.
//
// The index holds the positions of the lines. It grows with the file; a file
// that was replaced, or is shorter, is read again from the start. Seals are
// checked when a note is read. A file whose first line has no valid seal was
// not made here: it is not read, and not written to, as it may be a link, but
// replaced.
type noteLog struct {
	d    *Directory
	name string // in the evidence directory

	mu    sync.Mutex
	root  *os.Root
	place string // of root, for seals
	file  *os.File
	info  fs.FileInfo
	sound bool  // the first line was made here
	end   int64 // of the part that the index covers
	live  int64 // bytes of the valid lines
	index map[string]noteLine
}

// A noteLine is the position of the line of a note.
type noteLine struct {
	at   int64
	size int // with LF
}

const (
	maxNoteLine = 6 * (maxNote + maxNoteName) // bytes; quoting takes at most four for one
	compactFrom = 1 << 20                     // size in bytes from which a mostly outdated file is rewritten
)

// noteLogs are the logs of all kinds.
type noteLogs struct {
	mu   sync.Mutex
	logs map[string]*noteLog
}

func (n *noteLogs) of(d *Directory, kind string) *noteLog {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.logs[kind]
	if l == nil {
		if n.logs == nil {
			n.logs = make(map[string]*noteLog)
		}
		l = &noteLog{d: d, name: notesDir + "/" + kind + ".log"}
		n.logs[kind] = l
	}
	return l
}

func (n *noteLogs) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	for _, l := range n.logs {
		l.mu.Lock()
		if l.file != nil {
			err = errors.Join(err, l.file.Close())
		}
		l.forget()
		l.mu.Unlock()
	}
	return err
}

// forget empties the index. A file that other goroutines still read is closed
// when it is no longer referenced.
func (l *noteLog) forget() {
	l.file, l.info, l.sound, l.end, l.live = nil, nil, false, 0, 0
	l.index = make(map[string]noteLine)
}

// refresh brings the index up to date. A file that is not regular holds no
// notes.
func (l *noteLog) refresh(root *os.Root) error {
	if root != l.root || l.index == nil {
		place, err := l.d.place(root)
		if err != nil {
			return err
		}
		l.root, l.place = root, place
		l.forget()
	}
	info, err := root.Lstat(l.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		l.forget()
		return nil
	}
	if err != nil {
		return err
	}
	if l.file == nil || !os.SameFile(l.info, info) || info.Size() < l.end {
		l.forget()
		f, opened, err := openPlain(root, l.name, errRecordNotPlain)
		if err != nil {
			return err
		}
		l.file, l.info, info = f, opened, opened
	}
	if l.end > 0 && !l.sound {
		return nil
	}
	return scanNotes(context.Background(), l.file, l.end, info.Size(), l.add)
}

// add adds a line to the index. It reports whether to continue. The index does
// not cover a line without an end: it is too long, or its writer has not
// finished it.
func (l *noteLog) add(at int64, line []byte) bool {
	whole := bytes.HasSuffix(line, []byte("\n"))
	if whole {
		l.end = at + int64(len(line))
	}
	n, ok := parseNoteLine(line)
	if at == 0 {
		l.sound = ok && l.sealer().made(n)
	}
	if !l.sound {
		return false
	}
	if !ok || !whole {
		return true
	}
	l.live -= int64(l.index[n.name].size)
	if n.isDeletion() {
		delete(l.index, n.name)
		return true
	}
	l.index[n.name] = noteLine{at, len(line)}
	l.live += int64(len(line))
	return true
}

// scanNotes calls f with the whole lines of a file between two offsets, and
// with the start of a line that is too long, until f returns false. The lines
// are valid until f returns.
func scanNotes(ctx context.Context, file io.ReaderAt, from, to int64, f func(at int64, line []byte) bool) error {
	if from >= to {
		return nil
	}
	// The buffer is one byte larger than the text: a partial line at the end of
	// the file then ends with io.EOF, and is not mistaken for a line that is
	// too long.
	lines := bufio.NewReaderSize(io.NewSectionReader(file, from, to-from), int(min(to-from, 2*maxNoteLine))+1)
	for n, at := 0, from; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := lines.ReadSlice('\n')
		size := int64(len(line))
		if err == bufio.ErrBufferFull { // not a line that we wrote
			if !f(at, line) {
				return nil
			}
			for err == bufio.ErrBufferFull {
				line, err = lines.ReadSlice('\n')
				size, line = size+int64(len(line)), nil
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if line != nil && !f(at, line) {
			return nil
		}
		at += size
	}
}

// A parsedNote is a line that was written whole, by any writer. Its slices are
// parts of the line.
type parsedNote struct {
	name          string
	seal, content []byte
	stamp, data   []byte // parts of content
}

func parseNoteLine(line []byte) (n parsedNote, ok bool) {
	length, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
	var digits [20]byte
	if !bytes.Equal(length, strconv.AppendInt(digits[:0], int64(len(rest)), 10)) {
		return n, false
	}
	n.seal, n.content, _ = bytes.Cut(rest, []byte("\t"))
	stamp, rest, _ := bytes.Cut(n.content, []byte("\t"))
	name, data, ok := bytes.Cut(rest, []byte("\t"))
	if !ok {
		return n, false
	}
	n.stamp, n.data = stamp, data
	var err error
	n.name, err = strconv.Unquote(string(name))
	return n, err == nil
}

func (n parsedNote) isDeletion() bool { return string(n.data) == "-" }

// note returns the note of a line that was made here.
func (n parsedNote) note() (note citekit.Note, ok bool) {
	note = citekit.Note{Name: n.name, Stamp: citekit.Stamp{Identity: string(n.stamp)}}
	switch {
	case n.isDeletion():
		return note, true
	case bytes.HasPrefix(n.data, []byte("=")):
		note.Data = append([]byte{}, n.data[1:]...)
		return note, true
	}
	text, err := strconv.Unquote(string(n.data))
	note.Data = []byte(text)
	return note, err == nil
}

// appendData appends the data of a note in the form it has in a line. Nil data
// means that the note was deleted.
func appendData(line, data []byte) []byte {
	switch {
	case data == nil:
		return append(line, '-')
	case bytes.IndexByte(data, '\n') < 0:
		return append(append(line, '='), data...)
	}
	return strconv.AppendQuote(line, string(data))
}

// made reports whether a line has a valid seal.
func (s *sealer) made(n parsedNote) bool { return hmac.Equal(n.seal, s.seal(n.content)) }

// unseal returns the note of a line, if the line was made here.
func (s *sealer) unseal(line []byte) (note citekit.Note, ok bool) {
	n, ok := parseNoteLine(line)
	if !ok || !s.made(n) {
		return citekit.Note{}, false
	}
	return n.note()
}

// appendLine appends the line of a note to lines.
func (s *sealer) appendLine(lines []byte, name string, data []byte) ([]byte, citekit.Stamp) {
	stamp := citekit.Stamp{Identity: rand.Text()}
	content := append([]byte(stamp.Identity), '\t')
	content = append(strconv.AppendQuote(content, name), '\t')
	content = appendData(content, data)
	seal := s.seal(content)
	return fmt.Appendf(lines, "%d\t%s\t%s\n", len(seal)+1+len(content), seal, content), stamp
}

func (l *noteLog) sealer() *sealer { return l.d.sealer(l.place, l.name) }

// read implements [citekit.NoteStore.ReadNote].
func (l *noteLog) read(root *os.Root, name string) ([]byte, citekit.Stamp, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(root); err != nil {
		return nil, citekit.Stamp{}, err
	}
	return l.lookUp(l.sealer(), name)
}

func (l *noteLog) lookUp(s *sealer, name string) ([]byte, citekit.Stamp, error) {
	at, ok := l.index[name]
	if !ok {
		return nil, citekit.Stamp{}, missing("note")
	}
	line := make([]byte, at.size)
	if _, err := l.file.ReadAt(line, at.at); err != nil && err != io.EOF {
		return nil, citekit.Stamp{}, err
	}
	n, ok := s.unseal(line)
	if !ok || n.Name != name {
		return nil, citekit.Stamp{}, missing("note")
	}
	return n.Data, n.Stamp, nil
}

// change makes all changes, or none. The evidence directory must be locked.
func (l *noteLog) change(root *os.Root, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.d.perms.makeMeta(root, notesDir); err != nil {
		return nil, err
	}
	if err := l.refresh(root); err != nil {
		return nil, err
	}
	s := l.sealer()
	err := compareNotes(changes, func(name string) ([]byte, citekit.Stamp, error) { return l.lookUp(s, name) })
	if err != nil {
		return nil, err
	}
	var lines []byte
	stamps := make([]citekit.Stamp, len(changes))
	for i, c := range changes {
		if isVain(c) {
			continue
		}
		var stamp citekit.Stamp
		lines, stamp = s.appendLine(lines, c.Name, c.Data)
		if c.Data != nil {
			stamps[i] = stamp
		}
	}
	if len(lines) == 0 {
		return stamps, nil
	}
	if l.sound && (l.end < compactFrom || 2*l.live > l.end) {
		err = l.append(root, lines)
	} else {
		err = l.rewrite(root, changes, lines)
	}
	if err != nil {
		return nil, err
	}
	return stamps, nil
}

// append adds lines to the file. If it fails, the file is unchanged, or ends
// with some of the lines and part of another.
func (l *noteLog) append(root *os.Root, lines []byte) error {
	f, err := root.OpenFile(l.name, os.O_WRONLY|os.O_APPEND|nonblock, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, l.info) {
		err = errRecordNotPlain // it was replaced since it was checked
	}
	if err != nil {
		f.Close()
		return err
	}
	if info.Size() > l.end { // a partial line
		lines = append([]byte("\n"), lines...)
	}
	if _, err := f.Write(lines); err != nil {
		_ = f.Truncate(info.Size())
		f.Close()
		return err
	}
	return f.Close()
}

// rewrite replaces the file by one with new lines and the valid lines, except
// those of the notes that change.
func (l *noteLog) rewrite(root *os.Root, changes []citekit.NoteChange, lines []byte) error {
	// This removes temporary files of dead processes; one that cannot be
	// removed does not harm the notes.
	if now := l.d.now(); l.d.sweep.isDue(now) {
		_ = removeOldTemps(context.Background(), root, tempDir, now)
	}
	t, err := l.d.perms.createTemp(root, tempDir)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(t)
	if l.file != nil && l.sound {
		err = l.copyUnchanged(w, changes)
	}
	if err == nil {
		w.Write(lines)
		err = w.Flush()
	}
	if err != nil {
		t.discard()
		return err
	}
	if err := t.finish(true); err != nil {
		return err
	}
	return t.rename(l.name)
}

// copyUnchanged writes the valid lines of notes that do not change. An error of
// w is reported when w is flushed.
func (l *noteLog) copyUnchanged(w *bufio.Writer, changes []citekit.NoteChange) error {
	change := make(map[string]bool, len(changes))
	for _, c := range changes {
		change[c.Name] = true
	}
	s := l.sealer()
	return scanLive(context.Background(), l.file, l.end, l.index, func(n parsedNote, line []byte) bool {
		// A line that was damaged since it was read must not come first, or the
		// rest would be ignored.
		if !change[n.name] && s.made(n) {
			w.Write(line)
		}
		return true
	})
}

// scanLive calls f with the valid lines until it returns false.
func scanLive(ctx context.Context, file *os.File, end int64, index map[string]noteLine, f func(n parsedNote, line []byte) bool) error {
	return scanNotes(ctx, file, 0, end, func(at int64, line []byte) bool {
		n, ok := parseNoteLine(line)
		if !ok || index[n.name] != (noteLine{at, len(line)}) {
			return true
		}
		return f(n, line)
	})
}

// each calls f with all notes as they are now. The log is not locked while f
// runs, so f may read and write notes.
func (l *noteLog) each(ctx context.Context, root *os.Root, f func(citekit.Note) bool) error {
	l.mu.Lock()
	err := l.refresh(root)
	s, file, end, sound, index := l.sealer(), l.file, l.end, l.sound, maps.Clone(l.index)
	l.mu.Unlock()
	if err != nil || file == nil || !sound {
		return err
	}
	var done error
	err = scanLive(ctx, file, end, index, func(n parsedNote, _ []byte) bool {
		if done = ctx.Err(); done != nil {
			return false
		}
		if !s.made(n) {
			return true
		}
		note, ok := n.note()
		return !ok || f(note)
	})
	return errors.Join(err, done)
}
