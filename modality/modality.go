// Package modality has the built-in resolvers as a value. Nothing registers
// itself:
//
//	resolvers := modality.All()
//	resolvers[citekit.Video] = &video.Resolver{Options: media.Options{FFmpeg: "/opt/bin/ffmpeg"}}
//	lib := citekit.New(ws, resolvers, nil)
package modality

import (
	"cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/audio"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/document/pdf"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/modality/video"
	"github.com/citekit/citekit/modality/virtual"
)

// All returns a new resolver with default settings for every modality. The
// map is the caller's: entries may be replaced or removed before it is given
// to [citekit.New].
func All() citekit.Resolvers { return New(nil) }

// Limits bound what the resolvers of one [New] use together. As these may be
// given to several libraries, such as those of the workspaces of a server, the
// limits can be those of a process. The zero value is that of [All].
type Limits struct {
	// MaxChildren is how many programs run at a time: ffmpeg, ffprobe and
	// tesseract. Zero means two of each for each modality.
	MaxChildren int

	// ChildMemory is how many bytes of memory each run of ffmpeg and ffprobe
	// may have, on Linux; zero is as in [media.Options].
	ChildMemory int64

	// DecoderMemory is how many bytes all jobs on images hold together; zero
	// is as in [image.Resolver]. PDFium has 128 MiB beside it, and what is cut
	// out of other documents and recordings is read in pieces.
	DecoderMemory int64

	// MaxDocuments is how many documents are read or cut at a time; zero is as
	// in [pdf.Resolver].
	MaxDocuments int
}

// New is All with limits; nil means the zero value.
func New(limits *Limits) citekit.Resolvers {
	l := cmp.Or(limits, new(Limits))
	var children *citekit.Slots
	if l.MaxChildren > 0 {
		children = citekit.NewSlots(l.MaxChildren)
	}
	recordings := media.Options{Children: children, MaxMemory: l.ChildMemory}
	documents := &document.Resolver{PDF: pdf.Resolver{Children: children, MaxJobs: l.MaxDocuments}}
	documents.Archive.Members = citekit.Resolvers{
		citekit.Document: documents,
		citekit.Video:    &video.Resolver{Options: recordings},
		citekit.Audio:    &audio.Resolver{Options: recordings},
		citekit.Image:    &image.Resolver{Children: children, DecodeBytes: l.DecoderMemory},
		citekit.Text:     new(text.Resolver),
		citekit.Virtual:  virtual.Resolver{},
	}
	return documents.Archive.Members // entries that are replaced read members, too
}
