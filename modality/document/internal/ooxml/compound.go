package ooxml

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/citekit/citekit"
)

// An encrypted package is not a ZIP archive but a compound file ([MS-OFFCRYPTO],
// section 2.3), like DOC, XLS and PPT.
const (
	compoundMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

	entrySize  = 128 // bytes of a directory entry, [MS-CFB] section 2.6
	maxSectors = 64  // sectors of a directory that are read
)

// checkCompound returns an error for a compound file. It matches
// [citekit.ErrEncrypted] if the file is an encrypted package.
func checkCompound(ctx context.Context, r io.ReaderAt, size int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	head := make([]byte, min(size, 512))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		if err == nil || errors.Is(err, io.EOF) {
			err = citekit.ErrFormat
		}
		return fmt.Errorf("the beginning of the source: %w", err)
	}
	if !bytes.HasPrefix(head, []byte(compoundMagic)) {
		return nil
	}
	if len(head) == 512 {
		encrypted, err := hasEncrypted(r, head)
		if err != nil {
			return err
		}
		if encrypted {
			return fmt.Errorf("an office file; open it with its password and save it without: %w", citekit.ErrEncrypted)
		}
	}
	return fmt.Errorf("an Office file in the old format; save it as DOCX, XLSX or PPTX: %w", citekit.ErrFormat)
}

// hasEncrypted reports whether the directory of a compound file names the
// stream that holds an encrypted package.
func hasEncrypted(r io.ReaderAt, head []byte) (bool, error) {
	shift := binary.LittleEndian.Uint16(head[30:])
	if shift != 9 && shift != 12 {
		return false, nil
	}
	sectorSize := int64(1) << shift
	sector := make([]byte, sectorSize)
	next := binary.LittleEndian.Uint32(head[48:])
	for range maxSectors {
		n, err := r.ReadAt(sector, (int64(next)+1)*sectorSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		for entry := sector[:n]; len(entry) >= entrySize; entry = entry[entrySize:] {
			if strings.EqualFold(entryName(entry), "EncryptedPackage") {
				return true, nil
			}
		}
		if int64(n) < sectorSize {
			break
		}
		if next, err = nextSector(r, head, next, sectorSize); err != nil || next >= 0xfffffff0 {
			return false, err
		}
	}
	return false, nil
}

func entryName(entry []byte) string {
	length := min(int(binary.LittleEndian.Uint16(entry[64:])), 64)
	units := make([]uint16, 0, 32)
	for i := 0; i+2 < length; i += 2 {
		units = append(units, binary.LittleEndian.Uint16(entry[i:]))
	}
	return string(utf16.Decode(units))
}

const endOfChain = 0xfffffffe

// nextSector looks up the successor of a sector in the allocation table. The header
// lists the first 109 sectors of that table.
func nextSector(r io.ReaderAt, head []byte, sector uint32, sectorSize int64) (uint32, error) {
	perSector := uint32(sectorSize / 4)
	table := sector / perSector
	if table >= 109 {
		return endOfChain, nil
	}
	at := binary.LittleEndian.Uint32(head[76+4*table:])
	var next [4]byte
	n, err := r.ReadAt(next[:], (int64(at)+1)*sectorSize+4*int64(sector%perSector))
	if n < len(next) {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return endOfChain, err
	}
	return binary.LittleEndian.Uint32(next[:]), nil
}
