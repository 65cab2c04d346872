package mail

import (
	"context"
	"io"
	"path"
	"strings"
)

// maxName is how many bytes of the name of a file are kept.
const maxName = 255

// fileName returns the file name of a part without folders, or "".
func (e *entity) fileName(ctx context.Context, src io.ReaderAt) string {
	name := parseValue(e.header["content-disposition"]).params["filename"]
	if name == "" {
		name = e.params["name"]
	}
	if name == "" && transferEncoding(e.header["content-transfer-encoding"]) == "uuencode" {
		name = uuName(e.raw(ctx, src))
	}
	name = path.Base(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
	if name == "." || name == ".." || name == "/" || len(name) > maxName {
		return ""
	}
	return name
}

// isAttachment reports whether a part is a file of its own, not a text of the
// message.
func (e *entity) isAttachment(ctx context.Context, src io.ReaderAt) bool {
	if e.isMultipart() || e.message != nil {
		return false
	}
	disposition := parseValue(e.header["content-disposition"]).word
	return disposition == "attachment" || !e.isText() || e.fileName(ctx, src) != "" && disposition != "inline"
}

const maxExt = 16

// ext returns the extension of a file of e, with its dot: that of its name, or
// the usual one of its media type.
func (e *entity) ext() string {
	if e.message != nil || mayBeMessage(e.kind) {
		return ".eml"
	}
	name := parseValue(e.header["content-disposition"]).params["filename"]
	if name == "" {
		name = e.params["name"]
	}
	if ext := path.Ext(name); isExt(ext) {
		return strings.ToLower(ext)
	}
	if ext, ok := extensions[e.kind]; ok {
		return ext
	}
	if e.isText() {
		return ".txt"
	}
	return ".bin"
}

func isExt(ext string) bool {
	return len(ext) >= 2 && len(ext) <= maxExt && ext[0] == '.' && strings.IndexFunc(ext[1:], func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9') || r >= 0x80
	}) < 0
}

// extensions are the usual ones of media types that mail has.
var extensions = map[string]string{
	"text/html":                     ".html",
	"text/csv":                      ".csv",
	"text/calendar":                 ".ics",
	"text/vcard":                    ".vcf",
	"text/x-vcard":                  ".vcf",
	"text/markdown":                 ".md",
	"text/xml":                      ".xml",
	"text/rtf":                      ".rtf",
	"application/xml":               ".xml",
	"application/json":              ".json",
	"application/pdf":               ".pdf",
	"application/rtf":               ".rtf",
	"application/zip":               ".zip",
	"application/msword":            ".doc",
	"application/vnd.ms-excel":      ".xls",
	"application/vnd.ms-powerpoint": ".ppt",
	"application/pgp-signature":     ".asc",
	"application/pkcs7-signature":   ".p7s",
	"application/x-pkcs7-signature": ".p7s",
	"application/pkcs7-mime":        ".p7m",
	"application/x-pkcs7-mime":      ".p7m",
	"application/ms-tnef":           ".dat",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	"application/vnd.oasis.opendocument.text":                                   ".odt",
	"application/vnd.oasis.opendocument.spreadsheet":                            ".ods",
	"application/vnd.oasis.opendocument.presentation":                           ".odp",
	"application/epub+zip": ".epub",
	"image/jpeg":           ".jpg",
	"image/png":            ".png",
	"image/gif":            ".gif",
	"image/webp":           ".webp",
	"image/bmp":            ".bmp",
	"image/tiff":           ".tiff",
	"image/svg+xml":        ".svg",
	"image/heic":           ".heic",
	"audio/mpeg":           ".mp3",
	"audio/mp4":            ".m4a",
	"audio/wav":            ".wav",
	"audio/ogg":            ".ogg",
	"video/mp4":            ".mp4",
	"video/quicktime":      ".mov",
}
