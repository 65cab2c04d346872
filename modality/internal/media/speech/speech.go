// Package speech writes down what is said in a recording with a recogniser, which is a
// program or a server: it cuts the sound into pieces at silences, has each recognised,
// checks what comes back, and joins the pieces.
package speech

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
)

// Rate is how many samples a second has. A sample is 16 bits, little-endian, of one channel.
const Rate = 16_000

// sampleSize is the bytes of a sample.
const sampleSize = 2

// A Cue is a stretch of speech.
type Cue struct {
	Start   float64 `json:"start"` // seconds
	End     float64 `json:"end"`   // after Start
	Text    string  `json:"text"`  // on one line
	Speaker string  `json:"speaker,omitempty"`
	Words   []Word  `json:"words,omitempty"` // those of Text, if the recogniser gives times of words
}

// A Word is one word of a [Cue].
type Word struct {
	Start float64 `json:"start"` // seconds
	End   float64 `json:"end"`   // not before Start
	Text  string  `json:"word"`
}

// A Job is what [Job.Run] needs besides the sound.
type Job struct {
	// Decode writes the whole sound to w, from the start of the recording.
	Decode func(ctx context.Context, w io.Writer) error

	// Recognise returns what is said in the WAV file at a path, as [Parse] reads it.
	Recognise func(ctx context.Context, wav string) ([]byte, error)

	// Keep returns what it kept last, for nil, and else keeps state. Nil keeps nothing.
	Keep func(ctx context.Context, state []byte) ([]byte, error)

	// Progress is called with the seconds that are done, of all, whenever a piece is.
	Progress func(done, of float64, pieces, ofPieces int)

	// Cutting says how long pieces are; the zero value is the usual length.
	Cutting Cutting
}

// A state is what is kept of a recording: of the first pieces, and at the end the
// transcript.
type state struct {
	Format      string         `json:"format"`
	Transcribed bool           `json:"transcribed"`       // so that nobody takes it for the words of a person
	Created     string         `json:"created,omitempty"` // RFC 3339; of a transcript
	Refused     map[string]int `json:"refused,omitempty"` // cues that were left out, by reason
	Segments    []Cue          `json:"segments"`          // of all pieces so far; as in the JSON of whisper

	// Of the pieces so far; none in a transcript.
	Done []Piece `json:"done,omitempty"`
}

// formatName names what [Job.Run] returns and keeps.
const formatName = "citekit transcript 1"

const scratchPrefix = "citekit-speech-"

// Run returns the transcript of a sound as JSON, whose "segments" are as in that of
// whisper. It goes on after the pieces that were kept.
//
// Errors are those of the functions of the job. If no cue of a piece can be right, the
// error matches [citekit.ErrFormat]; for a transcript that is too long,
// [citekit.ErrTooLarge].
func (j Job) Run(ctx context.Context) ([]byte, error) {
	kept := j.kept(ctx)
	if kept.Created != "" {
		return json.Marshal(kept)
	}
	localfile.SweepScratch(scratchPrefix)
	dir, err := localfile.NewScratch(scratchPrefix)
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	sound, err := dir.Create("sound")
	if err != nil {
		return nil, err
	}
	defer sound.Close()
	cutter := newCutter(sound, j.Cutting)
	if err := j.Decode(ctx, cutter); err != nil {
		return nil, err
	}
	pieces := cutter.finish()
	if !kept.continues(pieces) {
		kept = state{Refused: make(map[string]int)}
	}
	if kept.Refused == nil {
		kept.Refused = make(map[string]int)
	}
	total := seconds(cutter.samples)
	for i, p := range pieces {
		if i < len(kept.Done) {
			continue
		}
		if j.Progress != nil {
			j.Progress(seconds(p.Begin), total, i, len(pieces))
		}
		if err := j.piece(ctx, dir, sound, p, &kept); err != nil {
			return nil, err
		}
		kept.Done = append(kept.Done, p)
		if i+1 < len(pieces) {
			_ = j.keep(ctx, kept) // else the piece is recognised again after a failure
		}
	}
	return j.finish(ctx, kept, total)
}

// finish keeps and returns the transcript.
func (j Job) finish(ctx context.Context, s state, total float64) ([]byte, error) {
	var segments []Cue
	for _, c := range s.Segments {
		if c.End = min(c.End, total); c.Start < c.End {
			segments = append(segments, c.split()...)
		}
	}
	s.Segments, s.Done, s.Created = segments, nil, time.Now().UTC().Format(time.RFC3339)
	_ = j.keep(ctx, s)
	return s.encode()
}

func (s state) encode() ([]byte, error) {
	s.Format, s.Transcribed = formatName, true
	if s.Segments == nil {
		s.Segments = []Cue{}
	}
	data, err := json.Marshal(s)
	if err == nil && len(data) > MaxTranscript {
		err = fmt.Errorf("the transcript is longer than %d MiB: %w", MaxTranscript>>20, citekit.ErrTooLarge)
	}
	return data, err
}

// MaxTranscript is the most bytes of a transcript: some 40 hours of speech with the times
// of its words. A reader of companions takes no more.
const MaxTranscript = 16 << 20

func (j Job) keep(ctx context.Context, s state) error {
	data, err := s.encode()
	if err != nil || j.Keep == nil {
		return err
	}
	_, err = j.Keep(ctx, data)
	return err
}

// Read returns the cues of a transcript that [Job.Run] made, and whether it is one.
func Read(transcript []byte) ([]Cue, bool) {
	var s state
	if !bytes.HasPrefix(transcript, []byte(`{"format":"`+formatName+`"`)) || json.Unmarshal(transcript, &s) != nil || s.Created == "" {
		return nil, false
	}
	for _, c := range s.Segments { // what is kept may be damaged
		if !finite(c.Start, c.End) || c.Start < 0 || c.End < c.Start || !c.placeWords() {
			return nil, false
		}
	}
	return s.Segments, true
}

// kept returns what was kept, or the zero state.
func (j Job) kept(ctx context.Context) (s state) {
	if j.Keep == nil {
		return state{}
	}
	data, err := j.Keep(ctx, nil)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Format != formatName {
		return state{}
	}
	return s
}

// continues reports whether the pieces begin with those that are done.
func (s state) continues(pieces []Piece) bool {
	if len(s.Done) > len(pieces) {
		return false
	}
	for i, p := range s.Done {
		if p != pieces[i] {
			return false
		}
	}
	return true
}

// piece recognises a piece and adds its cues to the state.
func (j Job) piece(ctx context.Context, dir *localfile.Scratch, sound io.ReaderAt, p Piece, s *state) error {
	if p.Silent {
		return nil
	}
	const name = "piece.wav"
	if err := writePiece(dir, name, sound, p); err != nil {
		return err
	}
	defer os.Remove(dir.Path(name))
	output, err := j.Recognise(ctx, dir.Path(name))
	if err != nil {
		return err
	}
	from, length := seconds(p.From), seconds(p.To-p.From)
	at := fmt.Sprintf("the piece from %.0f s to %.0f s", from, from+length)
	found, err := Parse(output)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	cues := check(found, length, s.Refused)
	if len(cues) == 0 && len(found) > 0 {
		return fmt.Errorf("%s: none of the %d cues of the recogniser has times within the %.0f s that it was given, such as %s: %w",
			at, len(found), length, found[0].times(), citekit.ErrFormat)
	}
	for i := range cues {
		cues[i].move(from)
	}
	s.Segments = join(s.Segments, cues, seconds(p.Begin))
	return nil
}

// writePiece writes a piece of the sound as a WAV file.
func writePiece(dir *localfile.Scratch, name string, sound io.ReaderAt, p Piece) (err error) {
	f, err := dir.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = localfile.WithoutPath(errors.Join(err, f.Close())) }()
	size := (p.To - p.From) * sampleSize
	if _, err := f.Write(wavHeader(size)); err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(sound, p.From*sampleSize, size))
	return err
}

// wavHeader is that of a file with so many bytes of samples.
func wavHeader(size int64) []byte {
	b := []byte("RIFF....WAVEfmt ")
	binary.LittleEndian.PutUint32(b[4:], uint32(36+size))
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1) // samples as they are
	b = binary.LittleEndian.AppendUint16(b, 1) // channel
	b = binary.LittleEndian.AppendUint32(b, Rate)
	b = binary.LittleEndian.AppendUint32(b, Rate*sampleSize)
	b = binary.LittleEndian.AppendUint16(b, sampleSize)
	b = binary.LittleEndian.AppendUint16(b, 8*sampleSize)
	return binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(size))
}

func seconds(samples int64) float64 { return float64(samples) / Rate }

// times describes the times of a cue.
func (c Cue) times() string { return fmt.Sprintf("%g --> %g", c.Start, c.End) }

// move puts a cue later by seconds.
func (c *Cue) move(by float64) {
	c.Start, c.End = millis(c.Start+by), millis(c.End+by)
	for i := range c.Words {
		w := &c.Words[i]
		w.Start, w.End = millis(w.Start+by), millis(w.End+by)
	}
}

func millis(s float64) float64 { return math.Round(s*1000) / 1000 }
