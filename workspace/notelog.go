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
// appended: there may be a note for each of a hundred thousand sources, which
// as files of their own would take longer to read than the sources to look at.
//
// A line is
//
//	length TAB seal TAB stamp TAB "name" TAB "data" LF
//
// where the length is that of what follows it, in bytes and without LF, the
// seal is over what follows it, name and data are quoted as Go does, and "-"
// stands for the data of a note that was deleted. The last line of a name
// counts. A line that was not written whole, as a process was killed or the
// power lost, has another length and is skipped; whoever writes next ends it.
//
// The index holds where the lines are. It grows with the file; a file that is
// another one, or shorter, is read anew. Seals are checked when a note is read.
// A file whose first line has no valid seal was not made here: it is not read,
// nor written to, as it may be a link, but replaced.
type noteLog struct {
	d    *Directory
	name string // in the evidence directory

	mu    sync.Mutex
	root  *os.Root
	place string // of root, for seals
	file  *os.File
	info  fs.FileInfo
	sound bool  // the first line was made here
	end   int64 // of what the index covers
	live  int64 // bytes of the lines that count
	index map[string]noteLine
}

// A noteLine says where the line of a note is.
type noteLine struct {
	at   int64
	size int // with LF
}

const (
	maxNoteLine = 6 * (maxNote + maxNoteName) // bytes; quoting takes at most four for one
	compactFrom = 1 << 20                     // size in bytes from which a file is written anew that is mostly outdated
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

// forget empties the index. A file that others still read closes when it is no
// longer referenced.
func (l *noteLog) forget() {
	l.file, l.info, l.sound, l.end, l.live = nil, nil, false, 0, 0
	l.index = make(map[string]noteLine)
}

// refresh brings the index up to date. What stands at the name and is no plain
// file holds no notes.
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

// add takes a line into the index. It reports whether to go on. The index does
// not cover a line without an end: it is too long, or the one who writes it has
// not come to its end.
func (l *noteLog) add(at int64, line []byte) bool {
	whole := bytes.HasSuffix(line, []byte("\n"))
	if whole {
		l.end = at + int64(len(line))
	}
	if at == 0 {
		_, l.sound = l.unseal(line)
	}
	if !l.sound {
		return false
	}
	name, data, ok := parseNoteLine(line)
	if !ok || !whole {
		return true
	}
	l.live -= int64(l.index[name].size)
	if isDeleted(data) {
		delete(l.index, name)
		return true
	}
	l.index[name] = noteLine{at, len(line)}
	l.live += int64(len(line))
	return true
}

// scanNotes calls f with the whole lines of a file from one offset to another,
// and with the start of a line that is too long, until it returns false. The
// lines are valid until f returns.
func scanNotes(ctx context.Context, file io.ReaderAt, from, to int64, f func(at int64, line []byte) bool) error {
	if from >= to {
		return nil
	}
	// One byte more than there is to read: a part of a line at the end of the
	// file then ends with io.EOF, and does not look like a line that is too long.
	lines := bufio.NewReaderSize(io.NewSectionReader(file, from, to-from), int(min(to-from, 2*maxNoteLine))+1)
	for n, at := 0, from; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := lines.ReadSlice('\n')
		size := int64(len(line))
		if err == bufio.ErrBufferFull { // nothing that we wrote
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

// parseNoteLine returns the parts of a line that was written whole.
func parseNoteLine(line []byte) (name string, data []byte, ok bool) {
	length, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
	fields := bytes.SplitN(rest, []byte("\t"), 4)
	if len(fields) != 4 || string(length) != strconv.Itoa(len(rest)) {
		return "", nil, false
	}
	name, err := strconv.Unquote(string(fields[2]))
	return name, fields[3], err == nil
}

func isDeleted(data []byte) bool { return string(data) == "-" }

// sealLine returns the line of a note. Nil data means that it was deleted.
func (l *noteLog) sealLine(name string, data []byte) (line []byte, stamp citekit.Stamp) {
	stamp.Identity = rand.Text()
	content := []byte(stamp.Identity + "\t")
	content = append(strconv.AppendQuote(content, name), '\t')
	if data == nil {
		content = append(content, '-')
	} else {
		content = strconv.AppendQuote(content, string(data))
	}
	seal := l.d.sealAt(l.place, l.name, content)
	return fmt.Appendf(nil, "%d\t%s\t%s\n", len(seal)+1+len(content), seal, content), stamp
}

// unseal returns the note of a line that was made here.
func (l *noteLog) unseal(line []byte) (citekit.Note, bool) {
	return l.d.unsealNote(l.place, l.name, line)
}

func (d *Directory) unsealNote(place, logName string, line []byte) (n citekit.Note, ok bool) {
	name, data, ok := parseNoteLine(line)
	if !ok {
		return n, false
	}
	_, rest, _ := bytes.Cut(line, []byte("\t"))
	seal, content, _ := bytes.Cut(bytes.TrimSuffix(rest, []byte("\n")), []byte("\t"))
	if !hmac.Equal(seal, []byte(d.sealAt(place, logName, content))) {
		return n, false
	}
	stamp, _, _ := bytes.Cut(content, []byte("\t"))
	n = citekit.Note{Name: name, Stamp: citekit.Stamp{Identity: string(stamp)}}
	if isDeleted(data) {
		return n, true
	}
	text, err := strconv.Unquote(string(data))
	n.Data = []byte(text)
	return n, err == nil
}

// read implements [citekit.NoteStore.ReadNote].
func (l *noteLog) read(root *os.Root, name string) ([]byte, citekit.Stamp, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(root); err != nil {
		return nil, citekit.Stamp{}, err
	}
	return l.lookUp(name)
}

func (l *noteLog) lookUp(name string) ([]byte, citekit.Stamp, error) {
	at, ok := l.index[name]
	if !ok {
		return nil, citekit.Stamp{}, missing("note")
	}
	line := make([]byte, at.size)
	if _, err := l.file.ReadAt(line, at.at); err != nil && err != io.EOF {
		return nil, citekit.Stamp{}, err
	}
	n, ok := l.unseal(line)
	if !ok || n.Name != name {
		return nil, citekit.Stamp{}, missing("note")
	}
	return n.Data, n.Stamp, nil
}

// change writes a note if it has the stamp, or deletes it if data is nil. The
// evidence directory is locked.
func (l *noteLog) change(root *os.Root, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := makeMeta(root, notesDir); err != nil {
		return citekit.Stamp{}, err
	}
	if err := l.refresh(root); err != nil {
		return citekit.Stamp{}, err
	}
	_, now, err := l.lookUp(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return citekit.Stamp{}, err
	case now != stamp:
		return citekit.Stamp{}, conflictOf(now)
	case data == nil && err != nil:
		return citekit.Stamp{}, err
	}
	line, written := l.sealLine(name, data)
	if l.sound && (l.end < compactFrom || 2*l.live > l.end) {
		err = l.append(root, line)
	} else {
		err = l.rewrite(root, name, line)
	}
	if err != nil {
		return citekit.Stamp{}, err
	}
	return written, nil
}

// append adds a line to the file. If it fails the file is as it was, or ends
// with part of a line.
func (l *noteLog) append(root *os.Root, line []byte) error {
	f, err := root.OpenFile(l.name, os.O_WRONLY|os.O_APPEND|nonblock, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, l.info) {
		err = errRecordNotPlain // since it was looked at
	}
	if err != nil {
		f.Close()
		return err
	}
	if info.Size() > l.end { // part of a line
		line = append([]byte("\n"), line...)
	}
	if _, err := f.Write(line); err != nil {
		_ = f.Truncate(info.Size())
		f.Close()
		return err
	}
	return f.Close()
}

// rewrite replaces the file by one of the lines that count and a new one, which
// is that of name.
func (l *noteLog) rewrite(root *os.Root, name string, line []byte) error {
	// Temporary files that dead processes left go; what cannot be removed harms
	// no notes.
	l.d.sweep.Do(func() { _ = removeOldTemps(context.Background(), root, tempDir, l.d.now()) })
	t, err := createTemp(root, tempDir)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(t)
	err = l.eachLine(context.Background(), func(at int64, old []byte) bool {
		// What was damaged since it was read must not come first: the rest
		// would not count.
		if n, ok := l.unseal(old); ok && n.Name != name {
			w.Write(old) // an error stays until the end
		}
		return true
	})
	if err == nil {
		w.Write(line)
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

// eachLine calls f with the lines that count.
func (l *noteLog) eachLine(ctx context.Context, f func(at int64, line []byte) bool) error {
	if l.file == nil || !l.sound {
		return nil
	}
	return scanLive(ctx, l.file, l.end, l.index, f)
}

func scanLive(ctx context.Context, file *os.File, end int64, index map[string]noteLine, f func(at int64, line []byte) bool) error {
	live := make(map[int64]bool, len(index))
	for _, where := range index {
		live[where.at] = true
	}
	return scanNotes(ctx, file, 0, end, func(at int64, line []byte) bool { return !live[at] || f(at, line) })
}

// each calls f with all notes as they are now. The log is not locked while f
// runs, which may read and write notes.
func (l *noteLog) each(ctx context.Context, root *os.Root, f func(citekit.Note) bool) error {
	l.mu.Lock()
	err := l.refresh(root)
	file, place, end, sound, index := l.file, l.place, l.end, l.sound, maps.Clone(l.index)
	l.mu.Unlock()
	if err != nil || file == nil || !sound {
		return err
	}
	var done error
	err = scanLive(ctx, file, end, index, func(_ int64, line []byte) bool {
		if done = ctx.Err(); done != nil {
			return false
		}
		n, ok := l.d.unsealNote(place, l.name, line)
		return !ok || f(n)
	})
	return errors.Join(err, done)
}
