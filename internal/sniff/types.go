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
	types, err := member(h, list, "[content_types].xml")
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

// byManifest tells a package of OpenDocument whose type does not come first, or
// is compressed: by its type, else by what its manifest says of the whole (ODF
// 1.3, part 2, section 4.8.4). The zero format means that it is none.
func byManifest(h head, list []byte) (Format, error) {
	kind, err := member(h, list, mimetype)
	if err != nil {
		return Format{}, err
	}
	if kind == nil {
		manifest, err := member(h, list, "meta-inf/manifest.xml")
		if err != nil {
			return Format{}, err
		}
		kind = typeOfWhole(manifest)
	}
	kind = bytes.TrimSuffix(bytes.TrimSpace(kind), []byte("-template"))
	for _, f := range packaged {
		if string(kind) == f.MediaType {
			return f, nil
		}
	}
	return Format{}, nil
}

// typeOfWhole returns what a manifest says the package is.
func typeOfWhole(manifest []byte) []byte {
	i := max(bytes.Index(manifest, []byte(`full-path="/"`)), bytes.Index(manifest, []byte(`full-path='/'`)))
	if i < 0 {
		return nil
	}
	end := bytes.IndexByte(manifest[i:], '>')
	if end < 0 {
		return nil
	}
	entry := manifest[bytes.LastIndexByte(manifest[:i], '<')+1 : i+end]
	_, value, found := bytes.Cut(entry, []byte("media-type="))
	if !found || len(value) == 0 {
		return nil
	}
	value, _, _ = bytes.Cut(value[1:], value[:1])
	return value
}

// member returns the beginning of a member, at most 1 MiB, by its name in small
// letters, or nil if the list of members does not have it.
func member(h head, list []byte, path string) ([]byte, error) {
	const entry, local, maxTypes = 46, 30, 1 << 20
	name := []byte(path)
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
