// Package modality has the built-in resolvers as a value. Nothing registers
// itself:
//
//	resolvers := modality.All()
//	resolvers[citekit.Video] = &video.Resolver{Options: media.Options{FFmpeg: "/opt/bin/ffmpeg"}}
//	lib := citekit.New(ws, resolvers, nil)
package modality

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/audio"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/modality/video"
	"github.com/citekit/citekit/modality/virtual"
)

// All returns a new resolver with default settings for every modality. The
// map is the caller's: entries may be replaced or removed before it is given
// to [citekit.New].
func All() citekit.Resolvers {
	return citekit.Resolvers{
		citekit.Document: new(document.Resolver),
		citekit.Video:    new(video.Resolver),
		citekit.Audio:    new(audio.Resolver),
		citekit.Image:    new(image.Resolver),
		citekit.Text:     new(text.Resolver),
		citekit.Virtual:  virtual.Resolver{},
	}
}
