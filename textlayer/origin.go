package textlayer

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// An origin is what a layer is made from: one version of a source, and what
// reads it.
type origin struct {
	resource string // "" for a file without a map
	modality citekit.Modality
	declared citekit.Modality
	resolver citekit.Resolver
	others   string // versions of the resolvers of members, if the source may have some

	src  *citekit.Source // nil if only what is kept is wanted
	name string          // of the source
	hash string          // SHA-256 of the source in lower case hex

	transcript *citekit.Source // nil if the source has its words itself
	words      string          // SHA-256 of the transcript, or ""

	maxBytes int64 // of the text
}

// layerFormat is part of every key, so that layers made by code that built
// them otherwise are not served.
const layerFormat = "1"

// key returns the key that the layer is kept under: a SHA-256 in hex over all
// that decides what is in it.
func (o *origin) key() string {
	version := citekit.Resolvers{o.modality: o.resolver}.Version(o.modality) + o.others
	return ctxio.HashParts(
		"text layer", layerFormat, string(o.modality), version, o.hash, o.name, string(o.declared), o.words, o.resource,
		strconv.FormatInt(o.maxBytes, 10),
	)
}

// smallKey returns the key in memory of the places of a text that is not kept.
func (o *origin) smallKey() string { return "small " + o.key() }

// keyInName is how many digits of its key the name of a layer has.
const keyInName = 16

// Ext ends the names of the files that layers are kept in.
const Ext = ".ctl"

// meta returns what is kept beside the layer: it goes with its map, and with
// the version of the source that is mapped.
func (o *origin) meta() citekit.EvidenceMeta {
	return citekit.EvidenceMeta{
		Name:       "text_layer-" + o.key()[:keyInName] + Ext,
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

// checkUnchanged returns an error matching [citekit.ErrStale] if what was read
// is not what it was when it was opened.
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
