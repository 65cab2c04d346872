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
