package citekit

import (
	"context"
	"path"
	"strings"
)

// classify returns what a source may be, to be tried in this order. Text is
// what content is that says nothing: the extension then comes first.
func (in *ingest) classify(ctx context.Context, src *Source) ([]Modality, error) {
	if in.opts.Type != "" {
		return []Modality{in.opts.Type}, nil
	}
	modality, err := DetectModality(src)
	if err != nil {
		return nil, err
	}
	switch modality {
	case Video:
		// A container for video need not hold any.
		if _, err := in.lib.measure(ctx, Video, src); err == nil || ctx.Err() != nil {
			return []Modality{Video}, ctx.Err()
		}
		return []Modality{Audio, Video}, nil
	case Text:
		if named := modalityOfName(src.Name()); named != "" && named != Text {
			return []Modality{named, Text}, nil
		}
	}
	return []Modality{modality}, nil
}

// looksRight reports whether a source is what one of its modalities can read,
// as far as a short look tells.
func (in *ingest) looksRight(ctx context.Context, src *Source) bool {
	modalities, err := in.classify(ctx, src)
	if err != nil {
		return false
	}
	for _, modality := range modalities {
		if modality != Text {
			if _, err = in.lib.measure(ctx, modality, src); err == nil {
				return true
			}
			continue
		}
		err = in.lib.limited(ctx, Text, func(ctx context.Context) error {
			return in.firstLine(ctx, src)
		})
		if err == nil {
			return true
		}
	}
	return false
}

// firstLine extracts the first line of a text.
func (in *ingest) firstLine(ctx context.Context, src *Source) error {
	resolver, err := in.lib.resolver(Text)
	if err != nil {
		return err
	}
	x, err := resolver.Resolve(ctx, src, Request{Location: Location{Modality: Text, Lines: Range{First: 1, Last: 1}}})
	if err == nil && x.Body != nil {
		err = x.Body.Close()
	}
	return err
}

// modalityOfName returns what the extension of a name stands for, or "".
func modalityOfName(name string) Modality {
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
	return ""
}

// officeFormat returns the name of a format that people expect to be read and
// that is not, by the extension of a file, or "".
func officeFormat(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods", ".epub", ".mobi":
		return strings.ToUpper(ext[1:])
	}
	return ""
}
