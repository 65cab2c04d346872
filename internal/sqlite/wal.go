package sqlite

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

const (
	walMagic       = 0x377f0682 // the lowest bit is set if checksums read words as big-endian
	walFormat      = 3007000
	walHeaderSize  = 32
	frameHeader    = 24
	maxWALFrames   = 1 << 22
	framesPerCheck = 64
)

// MagicSize is how many bytes [IsDatabase] reads.
const MagicSize = len(magic)

// CutSide returns the name of a database without what SQLite adds to it for that of a
// side file: the write-ahead log, its index, or the rollback journal. It reports false
// for another name.
func CutSide(name string) (database string, ok bool) {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if database, ok = strings.CutSuffix(name, suffix); ok {
			return database, true
		}
	}
	return "", false
}

// IsDatabase reports whether r begins as a SQLite database does.
func IsDatabase(r io.ReaderAt) bool {
	var start [len(magic)]byte
	n, _ := r.ReadAt(start[:], 0)
	return n == len(start) && string(start[:]) == magic
}

// A Merged reads a database together with the changes that were committed to its
// write-ahead log: the bytes that the database file would have after a checkpoint.
// It is safe for concurrent use if its readers are.
type Merged struct {
	db, wal  io.ReaderAt
	dbSize   int64
	size     int64
	pageSize int64
	frames   map[uint32]int64 // offset in wal of the latest content of a page
}

// Merge returns a database of size bytes with what is committed in the write-ahead
// log of walSize bytes. It is nil if the log has no commit that SQLite would read:
// if it is empty, of another format, or was used up by a checkpoint. It reads the
// whole log. An error matches [ErrDamaged] if the pages of the two differ in size, or
// [ErrLarge] for more than 4,194,304 pages in the log.
func Merge(ctx context.Context, db io.ReaderAt, size int64, wal io.ReaderAt, walSize int64) (*Merged, error) {
	var h [headerSize]byte
	if size < headerSize || walSize < walHeaderSize+frameHeader {
		return nil, nil
	}
	if err := readAt(db, h[:], 0); err != nil {
		return nil, err
	}
	if string(h[:len(magic)]) != magic {
		return nil, nil
	}
	pageSize := int64(binary.BigEndian.Uint16(h[16:]))
	if pageSize == 1 {
		pageSize = maxPage
	}
	if pageSize < minPage || pageSize&(pageSize-1) != 0 {
		return nil, nil // whoever opens the database says what is wrong
	}
	m := &Merged{db: db, wal: wal, dbSize: size, pageSize: pageSize, frames: make(map[uint32]int64)}
	if err := m.readLog(ctx, walSize); err != nil || m.size == 0 {
		return nil, err
	}
	return m, nil
}

// readLog finds the frames up to the last commit. A frame counts if its salts are
// those of the log, and the checksum over all frames up to it is right.
func (m *Merged) readLog(ctx context.Context, walSize int64) error {
	log := bufio.NewReaderSize(io.NewSectionReader(m.wal, 0, walSize), 1<<16)
	var header [walHeaderSize]byte
	if _, err := io.ReadFull(log, header[:]); err != nil {
		return unlessShort(err)
	}
	kind := binary.BigEndian.Uint32(header[:])
	sum := walSum{swapped: kind&1 == 0}
	sum.add(header[:24])
	if kind&^1 != walMagic || binary.BigEndian.Uint32(header[4:]) != walFormat || !sum.is(header[24:]) {
		return nil
	}
	if pageSize := int64(binary.BigEndian.Uint32(header[8:])); pageSize != m.pageSize {
		return damaged("its pages have %d bytes, and those of its write-ahead log %d", m.pageSize, pageSize)
	}
	pending := make(map[uint32]int64) // since the last commit
	frame := make([]byte, frameHeader+m.pageSize)
	for i := range (walSize - walHeaderSize) / int64(len(frame)) {
		if i%framesPerCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i == maxWALFrames {
			return fmt.Errorf("the write-ahead log has more than %d pages; checkpoint the database: %w", maxWALFrames, ErrLarge)
		}
		if _, err := io.ReadFull(log, frame); err != nil {
			return unlessShort(err)
		}
		page, pages := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:])
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		if page == 0 || string(frame[8:16]) != string(header[16:24]) || !sum.is(frame[16:]) {
			return nil
		}
		pending[page] = walHeaderSize + i*int64(len(frame)) + frameHeader
		if pages > 0 {
			if m.size = int64(pages) * m.pageSize; m.size > m.dbSize+walSize+m.pageSize {
				return damaged("its write-ahead log gives it %d pages", pages)
			}
			for page, at := range pending {
				m.frames[page] = at
			}
			clear(pending)
		}
	}
	return nil
}

// unlessShort returns an error other than that a log ends early.
func unlessShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// A walSum is the checksum of a write-ahead log.
type walSum struct {
	a, b    uint32
	swapped bool // words are little-endian
}

// add adds bytes, whose number is a multiple of eight.
func (s *walSum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		v, w := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
		if s.swapped {
			v, w = bits.ReverseBytes32(v), bits.ReverseBytes32(w)
		}
		s.a += v + s.b
		s.b += w + s.a
	}
}

// is reports whether the checksum is the stored one.
func (s *walSum) is(stored []byte) bool {
	return s.a == binary.BigEndian.Uint32(stored) && s.b == binary.BigEndian.Uint32(stored[4:])
}

// Size returns the size of the database in bytes.
func (m *Merged) Size() int64 { return m.size }

// ReadAt implements [io.ReaderAt].
func (m *Merged) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("negative offset %d", off)
	}
	for n < len(p) && err == nil {
		at := off + int64(n)
		if at >= m.size {
			return n, io.EOF
		}
		part := p[n:min(int64(len(p)), int64(n)+m.size-at)]
		var read int
		read, err = m.readRun(part, at)
		n += read
	}
	return n, err
}

// readRun reads one page of the log, or all pages of the file up to one in the log.
func (m *Merged) readRun(p []byte, at int64) (int, error) {
	page := at / m.pageSize
	end := (page + 1) * m.pageSize
	if frame, ok := m.frames[uint32(page+1)]; ok {
		p = p[:min(int64(len(p)), end-at)]
		return whole(p, readAt(m.wal, p, frame+at-page*m.pageSize))
	}
	for end < at+int64(len(p)) {
		if _, ok := m.frames[uint32(end/m.pageSize+1)]; ok {
			break
		}
		end += m.pageSize
	}
	p = p[:min(int64(len(p)), end-at)]
	stored := p[:max(0, min(int64(len(p)), m.dbSize-at))]
	clear(p[len(stored):])
	return whole(p, readAt(m.db, stored, at))
}

// whole returns what a read of all of p returns.
func whole(p []byte, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return len(p), nil
}
