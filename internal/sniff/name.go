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
	case ".pdf":
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

// Office returns what people call an office format that they expect to be
// read, such as "DOCX", or "": that of the content, or where that is of an
// office container that does not say it, the extension.
func Office(f Format, name string) string {
	if f.Office != "" || f.ID != "" && f.ID != "zip" && f.ID != "ole" {
		return f.Office
	}
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods", ".epub", ".mobi":
		return strings.ToUpper(ext[1:])
	}
	return ""
}

// Refusal returns the error, matching [errors.ErrUnsupported], for a source of
// an office format, or nil.
func Refusal(f Format, name string) error {
	if office := Office(f, name); office != "" {
		return fmt.Errorf("%s files are not read; save it as PDF: %w", office, errors.ErrUnsupported)
	}
	return nil
}
