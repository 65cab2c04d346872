package textlayer

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/ctxio"
)

// An origin is the input of a layer: one version of a source, and the resolver
// that reads it.
type origin struct {
	resource string // "" for a file without a map
	modality citekit.Modality
	declared citekit.Modality
	resolver citekit.Resolver
	others   string // versions of the resolvers of members, if the source may have members

	src  *citekit.Source // nil if only a stored layer is wanted
	name string          // of the source
	hash string          // SHA-256 of the source in lower case hex

	transcript *citekit.Source // nil if the source itself has the words
	words      string          // SHA-256 of the transcript, or ""

	maxBytes int64 // of the text
}

// layerFormat is part of every key, so that layers in an earlier format are not
// used.
const layerFormat = "1"

// key returns the key of the stored layer: a SHA-256 in hex over everything
// that determines its content.
func (o *origin) key() string {
	version := citekit.Resolvers{o.modality: o.resolver}.Version(o.modality) + o.others
	return ctxio.HashParts(
		"text layer", layerFormat, string(o.modality), version, o.hash, o.name, string(o.declared), o.words, o.resource,
		strconv.FormatInt(o.maxBytes, 10),
	)
}

// smallKey returns the key, in memory, of the places of a text that is not
// stored.
func (o *origin) smallKey() string { return "small " + o.key() }

// Ext is the extension of the files of layers.
const Ext = about.TextExt

// meta returns the metadata of the layer: it is deleted with its map, and with
// the mapped version of the source.
func (o *origin) meta() citekit.EvidenceMeta {
	return citekit.EvidenceMeta{
		Name:       about.TextName(o.key()),
		Size:       -1,
		Resource:   o.resource,
		MediaType:  "application/octet-stream",
		SourceHash: o.hash,
	}
}

func (o *origin) readsTranscripts() bool {
	_, ok := o.resolver.(citekit.TranscriptReader)
	return ok
}

// runs yields the text of the whole source.
func (o *origin) runs(ctx context.Context) iter.Seq2[citekit.TextRun, error] {
	all := citekit.Location{Modality: o.modality}
	if o.transcript != nil {
		return o.resolver.(citekit.TranscriptReader).ReadTranscript(ctx, o.src, o.transcript, all)
	}
	return o.resolver.(citekit.TextReader).ReadText(ctx, o.src, all)
}

// checkUnchanged returns an error matching [citekit.ErrStale] if the source or
// transcript has changed since it was opened.
func (o *origin) checkUnchanged() error {
	if o.transcript != nil {
		if err := o.transcript.CheckUnchanged(); err != nil {
			return fmt.Errorf("the transcript: %w", err)
		}
	}
	return o.src.CheckUnchanged()
}

func (o *origin) close() {
	o.closeTranscript()
	if o.src != nil {
		o.src.Close()
	}
}

func (o *origin) closeTranscript() {
	if o.transcript != nil {
		o.transcript.Close()
	}
}
