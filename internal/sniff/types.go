package sniff

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
)

// mainTypes are what the main parts of Office Open XML are, as packages have it
// in "[Content_Types].xml", by the ids of formats.
var mainTypes = map[string]string{
	"docx": "wordprocessingml.document.main+xml",
	"xlsx": "spreadsheetml.sheet.main+xml",
	"pptx": "presentationml.presentation.main+xml",
}

// byTypes tells a package whose main part is in a folder of its own choice by
// its content types; relationships may name any (ISO/IEC 29500-2, section 6.5).
// The zero format means that it is none.
func byTypes(h head, list []byte) (Format, error) {
	types, err := contentTypes(h, list)
	if err != nil {
		return Format{}, err
	}
	for _, f := range openXML {
		if kind := mainTypes[f.ID]; kind != "" && bytes.Contains(types, []byte(kind)) {
			return f.Format, nil
		}
	}
	return Format{}, nil
}

// contentTypes returns the beginning of the list of content types, at most 1
// MiB, or nil if the list of members does not have it.
func contentTypes(h head, list []byte) ([]byte, error) {
	const entry, local, maxTypes = 46, 30, 1 << 20
	name := []byte("[content_types].xml")
	for {
		i := bytes.Index(list, []byte("PK\x01\x02"))
		if i < 0 || len(list) < i+entry {
			return nil, nil
		}
		list = list[i:]
		length := int(binary.LittleEndian.Uint16(list[28:]))
		if len(list) < entry+length || !bytes.EqualFold(list[entry:entry+length], name) {
			list = list[4:]
			continue
		}
		packed, at := int64(binary.LittleEndian.Uint32(list[20:])), int64(binary.LittleEndian.Uint32(list[42:]))
		head, err := readUpTo(h.r, at, local)
		if err != nil || len(head) < local {
			return nil, err
		}
		at += local + int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
		data, err := readUpTo(h.r, at, min(packed, maxTypes))
		if err != nil || binary.LittleEndian.Uint16(list[10:]) == 0 {
			return data, err
		}
		// What is damaged ends where the damage is.
		types, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxTypes))
		return types, nil
	}
}
