package sniff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
)

var (
	formatTar    = Format{ID: "tar", Name: "a tar archive", Kind: Document, MediaType: "application/x-tar", Ext: ".tar"}
	formatZip    = Format{ID: "zip", Name: "a ZIP archive", Kind: Document, MediaType: "application/zip", Ext: ".zip"}
	formatJar    = Format{ID: "jar", Name: "a JAR archive", Kind: Document, MediaType: "application/java-archive", Ext: ".jar"}
	formatSQLite = Format{ID: "sqlite", Name: "an SQLite database", Kind: Document, MediaType: "application/vnd.sqlite3", Ext: ".sqlite"}

	formatParquet = Format{ID: "parquet", Name: "a Parquet table", Kind: Document, MediaType: "application/vnd.apache.parquet", Ext: ".parquet"}
	lockedParquet = Format{ID: "parquet-encrypted", Name: "an encrypted Parquet table", Kind: Document, Encrypted: true}
)

// packaged are the formats that are a ZIP archive with a member "mimetype", by
// what that says (OCF 3.3, section 4.3; ODF 1.3, part 2, section 3.3).
var packaged = []Format{
	{ID: "epub", Name: "an EPUB book", Kind: Document, MediaType: "application/epub+zip", Ext: ".epub"},
	{ID: "odt", Name: "an ODT document", Kind: Document, MediaType: "application/vnd.oasis.opendocument.text", Ext: ".odt"},
	{ID: "ods", Name: "an ODS workbook", Kind: Document, MediaType: "application/vnd.oasis.opendocument.spreadsheet", Ext: ".ods"},
	{ID: "odp", Name: "an ODP presentation", Kind: Document, MediaType: "application/vnd.oasis.opendocument.presentation", Ext: ".odp"},
}

// zipped tells the formats that are ZIP archives by the members they have.
func zipped(h head) (Format, error) {
	if at(h.b, 30, mimetype) {
		for _, f := range packaged {
			if at(h.b, 38, f.MediaType) && (!at(h.b, 38, f.MediaType+"-") || at(h.b, 38, f.MediaType+"-template")) {
				return f, nil
			}
		}
	}
	list, err := listOf(h)
	if err != nil {
		return Format{}, err
	}
	if f, err := openXML(list); err != nil || f.ID != "" {
		return f, err
	}
	if list.has("META-INF/container.xml") && bytes.Contains(list.list, []byte(".opf")) {
		return packaged[0], nil // its mimetype is missing or not the first
	}
	if f, err := openDocument(list); err != nil || f.ID != "" {
		return f, err
	}
	if bytes.Contains(h.b, []byte("META-INF/MANIFEST.MF")) {
		return formatJar, nil
	}
	return formatZip, nil
}

// compounds are the formats that are a compound file, by the stream that they
// have ([MS-CFB]).
var compounds = []struct {
	stream string
	Format
}{
	{"EncryptedPackage", Format{ID: "ooxml-encrypted", Name: "an encrypted office file", Kind: Document, Encrypted: true}},
	{"WordDocument", Format{ID: "doc", Name: "a DOC document", MediaType: "application/msword", Ext: ".doc", Office: "DOC"}},
	{"Workbook", Format{ID: "xls", Name: "an XLS workbook", MediaType: "application/vnd.ms-excel", Ext: ".xls", Office: "XLS"}},
	{"Book", Format{ID: "xls", Name: "an XLS workbook", MediaType: "application/vnd.ms-excel", Ext: ".xls", Office: "XLS"}},
	{"PowerPoint Document", Format{ID: "ppt", Name: "a PPT presentation", MediaType: "application/vnd.ms-powerpoint", Ext: ".ppt", Office: "PPT"}},
	{"__properties_version1.0", Format{ID: "msg", Name: "a MSG mail", MediaType: "application/vnd.ms-outlook", Ext: ".msg", Office: "MSG"}},
}

// compound tells what a compound file is by the names in its directory.
func compound(h head) (Format, error) {
	const entry, maxEntries, maxSectors = 128, 512, 64
	format := other("ole", "an older office file (OLE)", "")
	if len(h.b) < 80 {
		return format, nil
	}
	shift := binary.LittleEndian.Uint16(h.b[30:])
	if shift != 9 && shift != 12 {
		return format, nil
	}
	size := int64(1) << shift
	fat := int64(binary.LittleEndian.Uint32(h.b[76:])) // the first sector of the allocation table
	names := make(map[string]bool)
	sector := binary.LittleEndian.Uint32(h.b[48:])
	for range maxSectors {
		b, err := readUpTo(h.r, (int64(sector)+1)*size, size)
		if err != nil {
			return Format{}, err
		}
		for ; len(b) >= entry && len(names) < maxEntries; b = b[entry:] {
			names[entryName(b)] = true
		}
		var next [4]byte
		_, err = h.r.ReadAt(next[:], (fat+1)*size+4*int64(sector))
		if err != nil && !errors.Is(err, io.EOF) {
			return Format{}, err
		}
		sector = binary.LittleEndian.Uint32(next[:])
		if err != nil || sector > 1<<24 || 4*int64(sector) >= size { // the end, or in another part of the table
			break
		}
	}
	for _, f := range compounds {
		if names[f.stream] {
			return f.Format, nil
		}
	}
	return format, nil
}

// entryName returns the name of an entry of the directory of a compound file.
func entryName(b []byte) string {
	n := int(binary.LittleEndian.Uint16(b[64:])) // bytes, with the zero at the end
	var units []uint16
	for i := 0; i+2 < n && i < 64; i += 2 {
		units = append(units, binary.LittleEndian.Uint16(b[i:]))
	}
	return string(utf16.Decode(units))
}
