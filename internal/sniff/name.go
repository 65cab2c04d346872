package sniff

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// ByName returns what the extension of a name stands for, or Other. Texts have
// too many extensions to name them.
func ByName(name string) Kind {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf", ".docx", ".docm", ".dotx", ".xlsx", ".xlsm", ".pptx", ".pptm", ".epub", ".odt", ".ott", ".odp", ".otp":
		return Document
	case ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".m2ts", ".mts", ".wmv", ".flv", ".3gp", ".ogv":
		return Video
	case ".mp3", ".m4a", ".m4b", ".aac", ".wav", ".flac", ".ogg", ".oga", ".opus", ".wma", ".aif", ".aiff":
		return Audio
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".avif", ".heic", ".heif":
		return Image
	}
	return Other
}

// unread are the extensions of documents that are not read, with what they can
// be saved as instead.
var unread = map[string]string{
	".doc": "DOCX or PDF", ".rtf": "DOCX or PDF", ".xls": "XLSX", ".xlsb": "XLSX", ".ppt": "PPTX or PDF",
	".mobi": "EPUB", ".msg": "EML", ".djvu": "PDF", ".ps": "PDF",
}

// Office returns what people call a format of documents that they expect to be
// read and that is not, such as "DOC", or "": that of the content, or where that
// is of a container that does not say it, the extension.
func Office(f Format, name string) string {
	if f.Office != "" || f.ID != "" && f.ID != "ole" {
		return f.Office
	}
	if ext := strings.ToLower(path.Ext(name)); unread[ext] != "" && ext != ".ps" {
		return strings.ToUpper(ext[1:])
	}
	return ""
}

// An UnreadError reports a document in a format that is not read. It matches
// [errors.ErrUnsupported].
type UnreadError struct {
	Format string // such as "DOC"
	SaveAs string // formats to save it as, such as "DOCX or PDF"
}

// Error implements error.
func (e *UnreadError) Error() string {
	return fmt.Sprintf("%s files are not read; save it as %s: %v", e.Format, e.SaveAs, errors.ErrUnsupported)
}

// Unwrap returns [errors.ErrUnsupported].
func (e *UnreadError) Unwrap() error { return errors.ErrUnsupported }

// Refusal returns an [*UnreadError] for a source in a document format that is not
// read, or nil.
func Refusal(f Format, name string) error {
	office := Office(f, name)
	if office == "" {
		return nil
	}
	return &UnreadError{office, unread["."+strings.ToLower(office)]}
}
