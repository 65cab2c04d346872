// Package modality returns the built-in resolvers, one for each modality, as a
// value that the program may change before it makes a [citekit.Library]. There
// is no global registration:
//
//	resolvers := modality.All()
//	resolvers[citekit.Video] = &media.Resolver{Options: media.Options{FFmpeg: "/opt/bin/ffmpeg"}}
//	lib := citekit.New(ws, resolvers, nil)
//
// A program that reads few formats can import only the packages it needs, such
// as modality/text and modality/document/pdf, and build a [citekit.Resolvers]
// itself. It then links only those.
package modality

import (
	"cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/text"
)

// All returns a new resolver with default settings for every modality. The map
// belongs to the caller: entries may be replaced or removed before it is given
// to [citekit.New].
func All() citekit.Resolvers { return New(nil) }

// Limits are shared by the resolvers of one [New]. Several libraries may use
// the same resolvers, such as those of the workspaces of a server; the limits
// then apply to all of them together. [All] uses the zero value.
type Limits struct {
	// MaxChildren is the maximum number of child processes (ffmpeg, ffprobe,
	// tesseract) at a time, over all resolvers. Zero means two for each
	// resolver that runs programs.
	MaxChildren int

	// ChildMemory is the memory limit of each run of ffmpeg and ffprobe, in
	// bytes, on Linux. Zero means the default of MaxMemory in [media.Options].
	ChildMemory int64

	// DecoderMemory is the memory limit of all image jobs together, in bytes.
	// Zero means the default of DecodeBytes in [image.Resolver]. PDFium may use
	// a further 128 MiB. Other documents and recordings need no such limit,
	// because they are read in pieces.
	DecoderMemory int64

	// MaxDocuments is the maximum number of PDF documents that are read or cut
	// at a time. Zero means the default of MaxJobs in [document.PDF].
	MaxDocuments int
}

// New is like All, with limits; nil means the zero value.
func New(limits *Limits) citekit.Resolvers {
	l := cmp.Or(limits, new(Limits))
	var children *citekit.Slots
	if l.MaxChildren > 0 {
		children = &citekit.Slots{Max: l.MaxChildren}
	}
	recordings := media.Options{Children: children, MaxMemory: l.ChildMemory}
	documents := &document.Resolver{PDF: document.PDF{Children: children, MaxJobs: l.MaxDocuments}}
	documents.Archive.Members = citekit.Resolvers{
		citekit.Document: documents,
		citekit.Video:    &media.Resolver{Options: recordings},
		citekit.Audio:    &media.Resolver{Modality: citekit.Audio, Options: recordings},
		citekit.Image:    &image.Resolver{Children: children, DecodeBytes: l.DecoderMemory},
		citekit.Text:     new(text.Resolver),
		citekit.Virtual:  Virtual{},
	}
	return documents.Archive.Members // so that replaced entries read members, too
}
