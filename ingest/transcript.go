package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/ledger"
)

// A Transcriber recognises speech: a program, or a server on this machine. Package
// mapper/llm has both. Implementations must be safe for concurrent use.
type Transcriber interface {
	// Transcribe returns what is said in the WAV file at a path, of 16 bits, 16 kHz, one
	// channel and at most ten minutes: SubRip, WebVTT, or the JSON of whisper,
	// whisper.cpp, vosk or pocketsphinx, of at most 8 MiB. Times count from the start of
	// the file. What it returns for silence may be empty.
	Transcribe(ctx context.Context, wav string) ([]byte, error)

	// Provenance says what makes the transcripts, such as "program", "version" and
	// "model", for the metadata of maps. Recordings are transcribed again when it changes.
	Provenance(ctx context.Context) (map[string]string, error)
}

// Speech is how far a recording is transcribed.
type Speech struct {
	Seconds float64 `json:"seconds"` // that are done
	Of      float64 `json:"of"`      // of the recording
	Piece   int     `json:"piece"`   // that is being recognised, from 1
	Pieces  int     `json:"pieces"`
	Left    float64 `json:"left,omitempty"` // seconds until it is done, at the pace so far; 0 if that is not known
}

// String returns such as "10 of 120 minutes transcribed, piece 2 of 13, 25 minutes left".
func (s Speech) String() string {
	text := fmt.Sprintf("%.0f of %.0f minutes transcribed, piece %d of %d", s.Seconds/60, s.Of/60, s.Piece, s.Pieces)
	if s.Left > 0 {
		text += fmt.Sprintf(", %.0f minutes left", max(s.Left/60, 1))
	}
	return text
}

// A soundTranscriber is a resolver whose sources may be transcribed. Package
// modality/media has one, and describes the arguments.
type soundTranscriber interface {
	Transcribe(ctx context.Context, src *citekit.Source, recognise func(ctx context.Context, wav string) ([]byte, error), keep func(ctx context.Context, state []byte) ([]byte, error), progress func(done, of float64, pieces, ofPieces int)) ([]byte, error)
}

// A transcription is what makes transcripts in a run; nil if nothing does.
type transcription struct {
	Transcriber
	provenance map[string]string
	key        string // changes with the provenance
}

func newTranscription(ctx context.Context, t Transcriber) (*transcription, error) {
	if t == nil {
		return nil, nil
	}
	provenance, err := t.Provenance(ctx)
	if err != nil {
		return nil, err
	}
	parts := []string{"transcriber"}
	for _, name := range slices.Sorted(maps.Keys(provenance)) {
		parts = append(parts, name, provenance[name])
	}
	return &transcription{t, provenance, ctxio.HashParts(parts...)[:16]}, nil
}

// transcribedBy stands, in the digest of companions, before the key of what could
// transcribe the source when it was mapped.
const transcribedBy = " transcriber "

// transcriberOf returns the key of what could transcribe a source, or "".
func transcriberOf(n ledger.Note) string {
	_, key, _ := strings.Cut(n.Companions, transcribedBy)
	return key
}

// withCompanions returns the digest in a note of companions that a transcriber may add to.
func withCompanions(digest, transcriber string) string {
	if transcriber == "" {
		return digest
	}
	return digest + transcribedBy + transcriber
}

func isRecording(m citekit.Modality) bool { return m == citekit.Audio || m == citekit.Video }

// otherCompanions reports whether a source was mapped with other companions than it has
// now, or, if it is a recording, could not be transcribed as it can now.
func (in *run) otherCompanions(ctx context.Context, t *task, n ledger.Note) bool {
	digest, by, _ := strings.Cut(n.Companions, transcribedBy)
	if digest != t.companions {
		return true
	}
	if in.speech == nil || !isRecording(citekit.Modality(n.Type)) {
		return false
	}
	return by != in.speech.key || in.lostTranscript(ctx, n.ID)
}

// lostTranscript reports whether a map has a transcript that is not kept any more.
func (in *run) lostTranscript(ctx context.Context, id string) bool {
	m, err := in.lib.Map(ctx, id)
	if err != nil {
		return false
	}
	key, _, ok := about.TranscriptOf(m)
	if !ok {
		return false
	}
	_, err = in.ws.FindEvidence(ctx, key)
	return err != nil && ctx.Err() == nil
}

// mayTranscribe reports whether a source has a transcript of its own, which no other source
// with the same bytes has, or may get one.
func (in *run) mayTranscribe(ctx context.Context, t *task) bool {
	noted, _ := in.book.Note(t.Path)
	if in.speech == nil && transcriberOf(noted) == "" {
		return false
	}
	modality, err := in.modalityOf(ctx, t.src)
	return err == nil && isRecording(modality)
}

// A transcript is the words of one source that a machine writes down.
type transcript struct {
	in       *run
	t        *task
	resolver soundTranscriber
	name     string // of the companion

	stop   context.CancelFunc // ends the mapping that wants it
	wanted atomic.Bool        // a mapping has asked for it, as there are no other words
	data   []byte             // of it; nil until it is made

	transcriber string         // key of what made it
	described   map[string]any // where it comes from
}

// transcriptOf returns the transcript that a source may have, or nil.
func (in *run) transcriptOf(ctx context.Context, t *task, modality citekit.Modality) (*transcript, error) {
	resolver, ok := in.lib.Resolvers()[modality].(soundTranscriber)
	if !ok || !isRecording(modality) {
		return nil, nil
	}
	w := &transcript{in: in, t: t, resolver: resolver, name: strings.TrimSuffix(path.Base(t.Path), path.Ext(t.Path)) + about.TranscriptExt}
	if in.speech != nil {
		w.transcriber = in.speech.key
		w.described = map[string]any{"transcribed": true}
		for name, value := range in.speech.provenance {
			w.described[name] = value
		}
		return w, nil
	}
	// What was transcribed is not forgotten because nothing transcribes now.
	noted, _ := in.book.Note(t.Path)
	if noted.ID == "" || transcriberOf(noted) == "" {
		return nil, nil
	}
	m, err := in.lib.Map(ctx, noted.ID)
	if err != nil {
		return nil, ctx.Err()
	}
	hash, err := t.src.Hash(ctx)
	if err != nil {
		return nil, err
	}
	sourcePath, kept := m.Transcript()
	if _, ok := about.TranscriptKey(sourcePath); !ok || m.SourceHash() != hash {
		return nil, nil
	}
	src, err := in.lib.OpenSource(ctx, sourcePath)
	if err != nil {
		return nil, ctx.Err()
	}
	defer src.Close()
	if w.data, err = io.ReadAll(src.Reader()); err != nil || src.KnownHash() != kept {
		return nil, ctx.Err()
	}
	w.transcriber = transcriberOf(noted)
	w.described, _ = m.Metadata["transcript"].(map[string]any)
	return w, nil
}

// companion returns the transcript as a companion. Mappers look at it after all others.
// To open it ends the mapping if it is not made yet.
func (w *transcript) companion() citekit.Companion {
	return citekit.Companion{Name: w.name, Open: func(context.Context) (*citekit.Source, error) {
		if w.data == nil {
			w.wanted.Store(true)
			w.stop()
			return nil, context.Canceled
		}
		return citekit.NewSource(bytes.NewReader(w.data), citekit.SourceInfo{Name: w.name, Size: int64(len(w.data))}), nil
	}}
}

// key returns the key that the transcript has in the workspace, of a resource.
func (w *transcript) key(hash, id string) string {
	return ctxio.HashParts("transcript", hash, w.transcriber, id)
}

// make makes the transcript. It goes on where an earlier run ended.
func (w *transcript) make(ctx context.Context) error {
	hash, err := w.t.src.Hash(ctx)
	if err != nil {
		return err
	}
	release, err := w.in.speaking.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	began, from := time.Now(), -1.
	progress := func(done, of float64, piece, pieces int) {
		if from < 0 {
			began, from = time.Now(), done
		}
		s := Speech{Seconds: done, Of: of, Piece: min(piece+1, pieces), Pieces: pieces}
		if done > from {
			s.Left = time.Since(began).Seconds() / (done - from) * (of - done)
		}
		w.in.speechProgress(w.t.Path, s)
	}
	id := w.in.likelyID(w.t)
	keep := func(ctx context.Context, state []byte) ([]byte, error) {
		if state != nil {
			_, err := w.store(ctx, id, hash, state)
			return nil, err
		}
		for _, id := range append([]string{id}, w.in.sameBytes(hash)...) {
			if kept, err := w.load(ctx, id, hash); err == nil {
				return kept, nil
			}
		}
		return nil, fs.ErrNotExist
	}
	w.data, err = w.resolver.Transcribe(ctx, w.t.src, w.in.speech.Transcribe, keep, progress)
	if err == nil {
		w.in.mu.Lock()
		w.in.spoken[hash] = id
		w.in.mu.Unlock()
	}
	return err
}

// sameBytes returns the ids under which sources with a hash may have been transcribed.
func (in *run) sameBytes(hash string) (ids []string) {
	in.mu.Lock()
	if id, ok := in.spoken[hash]; ok {
		ids = append(ids, id)
	}
	in.mu.Unlock()
	for _, n := range in.book.All() {
		if n.Hash == hash && n.ID != "" {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// likelyID returns the id that the map of a source probably gets.
func (in *run) likelyID(t *task) string {
	noted, _ := in.book.Note(t.Path)
	return cmp.Or(in.opts.ResourceID, noted.ID, ResourceIDFor(t.Path))
}

// load returns what is kept for a resource whose source has a hash.
func (w *transcript) load(ctx context.Context, id, hash string) ([]byte, error) {
	opener, ok := w.in.ws.(citekit.EvidenceOpener)
	if !ok {
		return nil, fmt.Errorf("this workspace cannot open what it keeps: %w", errors.ErrUnsupported)
	}
	body, stored, err := opener.OpenEvidence(ctx, w.key(hash, id))
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if stored.SourceHash != hash || stored.Size > about.MaxTranscript {
		return nil, citekit.ErrDamaged
	}
	return io.ReadAll(body)
}

// store keeps a transcript, or the beginning of one, for a resource whose source has a
// hash.
func (w *transcript) store(ctx context.Context, id, hash string, data []byte) (*citekit.StoredEvidence, error) {
	key := w.key(hash, id)
	return w.in.ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{
		Name: about.TranscriptName(key), Size: int64(len(data)), Resource: id,
		MediaType: "application/json", SourceHash: hash, Keep: true,
	}, bytes.NewReader(data))
}

// save keeps the transcript for the map of the source, and names it there.
func (w *transcript) save(ctx context.Context, m *citekit.ResourceMap) error {
	hash := m.SourceHash()
	stored, err := w.store(ctx, m.ResourceID, hash, w.data)
	if err != nil {
		return fmt.Errorf("the transcript: %w", err)
	}
	described := maps.Clone(w.described)
	var made struct {
		Created string         `json:"created"`
		Refused map[string]any `json:"refused"`
	}
	if json.Unmarshal(w.data, &made) == nil && made.Created != "" {
		described["created"] = made.Created
	}
	if len(made.Refused) > 0 {
		described["refused"] = made.Refused // cues, by reason
	}
	m.Metadata["transcript"] = described
	setTranscript(m, about.TranscriptPath(w.key(hash, m.ResourceID)), stored.SHA256)
	return nil
}
