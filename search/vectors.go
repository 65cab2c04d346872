package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// A vectorStore is what keeps vectors.
type vectorStore interface {
	citekit.EvidenceStore
	citekit.EvidenceOpener
}

// A textHash tells which text a vector is of.
type textHash [16]byte

func hashOf(text string) (h textHash) {
	sum := sha256.Sum256([]byte(text))
	copy(h[:], sum[:])
	return h
}

// A vector is one of length 1 with a byte for each number, which is code×scale.
// A scale of 0 stands for no vector.
type vector struct {
	hash  textHash
	scale float32
	codes []int8
}

const maxCode = 127

// quantise makes a vector of finite numbers one of length 1 in bytes.
func quantise(numbers []float32) (scale float32, codes []int8) {
	norm, largest := measure(numbers)
	codes = make([]int8, len(numbers))
	if norm == 0 {
		return 0, codes
	}
	for i, x := range numbers {
		codes[i] = int8(math.Round(float64(x) / largest * maxCode))
	}
	return float32(largest / norm / maxCode), codes
}

// measure returns the length of a vector and the largest of its numbers.
func measure(numbers []float32) (norm, largest float64) {
	for _, x := range numbers {
		norm += float64(x) * float64(x)
		largest = max(largest, math.Abs(float64(x)))
	}
	return math.Sqrt(norm), largest
}

// A queryVector is what vectors are compared with, finer than they are.
type queryVector struct {
	scale float64
	codes []int32
}

func newQueryVector(numbers []float32) queryVector {
	const finest = 1 << 15
	norm, largest := measure(numbers)
	q := queryVector{codes: make([]int32, len(numbers))}
	if norm == 0 {
		return q
	}
	for i, x := range numbers {
		q.codes[i] = int32(math.Round(float64(x) / largest * finest))
	}
	q.scale = largest / norm / finest
	return q
}

// cosine returns how near a vector is, from -1 to 1.
func (q *queryVector) cosine(scale float32, codes []int8) float64 {
	var sum int64
	asked := q.codes[:len(codes)]
	for len(codes) >= lane {
		sum += int64(dot(asked[:lane], codes[:lane]))
		asked, codes = asked[lane:], codes[lane:]
	}
	sum += int64(dot(asked, codes))
	return float64(sum) * q.scale * float64(scale)
}

// lane is of how many numbers the products add up to at most an int32.
const lane = 256

// dot returns the sum of the products of at most a lane of numbers.
func dot(asked []int32, codes []int8) (sum int32) {
	var a, b, c, d int32
	for len(codes) >= 4 && len(asked) >= 4 {
		a += asked[0] * int32(codes[0])
		b += asked[1] * int32(codes[1])
		c += asked[2] * int32(codes[2])
		d += asked[3] * int32(codes[3])
		asked, codes = asked[4:], codes[4:]
	}
	for i, code := range codes {
		a += asked[i] * int32(code)
	}
	return a + b + c + d
}

// A vectorSet is the vectors of the entries of a resource, by ordinal.
type vectorSet struct {
	version    string // of the entries
	dimensions int
	scales     []float32
	codes      []int8
}

func newVectorSet(version string, dimensions int, vectors []vector) *vectorSet {
	s := &vectorSet{version: version, dimensions: dimensions}
	s.scales = make([]float32, 0, len(vectors))
	s.codes = make([]int8, 0, len(vectors)*dimensions)
	for _, v := range vectors {
		s.scales, s.codes = append(s.scales, v.scale), append(s.codes, v.codes...)
	}
	return s
}

func (s *vectorSet) size() int64 { return int64(4*len(s.scales) + len(s.codes)) }

// scores returns how near the vectors are. Those at a right angle or more are not
// near at all.
func (s *vectorSet) scores(q *queryVector) func(ordinal int) (float64, bool) {
	return func(n int) (float64, bool) {
		if n < 0 || n >= len(s.scales) || s.scales[n] == 0 {
			return 0, false
		}
		cosine := q.cosine(s.scales[n], s.codes[n*s.dimensions:(n+1)*s.dimensions])
		return cosine, cosine > 0
	}
}

// A vectorFile is what is kept of a resource: its vectors, or as many as were
// made before the making was interrupted.
type vectorFile struct {
	vectorHead
	vectors []vector
}

// A vectorHead says what vectors are of. It is kept as JSON.
type vectorHead struct {
	Resource   string `json:"resource"`
	Version    string `json:"version"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	Count      int    `json:"count"`
	Complete   bool   `json:"complete"` // vectors are in the order of the entries, one for each
}

const (
	vectorMagic   = "citekit vectors 1\n"
	maxVectorHead = 64 << 10
	maxVectors    = 1 << 24
	maxVectorFile = 1 << 31
)

// errForeign reports a file that is not the vectors it should be.
var errForeign = errors.New("search: these are other vectors")

// encode returns the file: the magic, the length of the head in 4 bytes, the
// head, and of each vector the hash, the scale and the codes. Numbers have the
// least byte first.
func (f *vectorFile) encode() ([]byte, error) {
	f.Count = len(f.vectors)
	head, err := json.Marshal(f.vectorHead)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(vectorMagic)+4+len(head)+f.Count*recordSize(f.Dimensions))
	out = append(out, vectorMagic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	out = append(out, head...)
	for _, v := range f.vectors {
		out = append(out, v.hash[:]...)
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v.scale))
		for _, c := range v.codes {
			out = append(out, byte(c))
		}
	}
	return out, nil
}

func recordSize(dimensions int) int { return len(textHash{}) + 4 + dimensions }

// decodeVectors reads what encode made.
func decodeVectors(data []byte) (*vectorFile, error) {
	rest, ok := bytes.CutPrefix(data, []byte(vectorMagic))
	if !ok || len(rest) < 4 {
		return nil, errForeign
	}
	n := binary.LittleEndian.Uint32(rest)
	if rest = rest[4:]; n > maxVectorHead || int(n) > len(rest) {
		return nil, errForeign
	}
	f := new(vectorFile)
	if json.Unmarshal(rest[:n], &f.vectorHead) != nil {
		return nil, errForeign
	}
	rest = rest[n:]
	if f.Dimensions < 1 || f.Dimensions > maxDimensions || f.Count < 0 || f.Count > maxVectors || len(rest) != f.Count*recordSize(f.Dimensions) {
		return nil, errForeign
	}
	f.vectors = make([]vector, f.Count)
	codes := make([]int8, f.Count*f.Dimensions)
	for i := range f.vectors {
		v := &f.vectors[i]
		rest = rest[copy(v.hash[:], rest):]
		v.scale = math.Float32frombits(binary.LittleEndian.Uint32(rest))
		if x := float64(v.scale); !(x >= 0 && x <= 1) {
			return nil, errForeign
		}
		v.codes, codes = codes[:f.Dimensions:f.Dimensions], codes[f.Dimensions:]
		for j, c := range rest[4 : 4+f.Dimensions] {
			v.codes[j] = int8(c)
		}
		rest = rest[4+f.Dimensions:]
	}
	return f, nil
}

// vectorKey returns what the vectors of a resource are kept under.
func vectorKey(resource, model string) string {
	return ctxio.HashParts("search vectors", vectorMagic, resource, model)
}

// load returns what is kept of a resource. What is damaged or of another
// resource or model counts as missing, which is an empty file.
func (m *semantics) load(ctx context.Context, id string, dimensions int) (*vectorFile, error) {
	empty := &vectorFile{}
	content, stored, err := m.store.OpenEvidence(ctx, vectorKey(id, m.name))
	if err != nil {
		return empty, ctx.Err()
	}
	defer content.Close()
	if stored.Size < 0 || stored.Size > maxVectorFile {
		return empty, nil
	}
	data := make([]byte, stored.Size)
	if _, err := io.ReadFull(content, data); err != nil {
		return empty, ctx.Err()
	}
	f, err := decodeVectors(data)
	if err != nil || f.Resource != id || f.Model != m.name || f.Dimensions != dimensions {
		return empty, nil
	}
	return f, nil
}

// keep stores a file. It goes with the map of its resource.
func (m *semantics) keep(ctx context.Context, f *vectorFile) error {
	data, err := f.encode()
	if err != nil {
		return err
	}
	key := vectorKey(f.Resource, f.Model)
	const keyInName = 16
	meta := citekit.EvidenceMeta{
		Name: "vectors-" + key[:keyInName] + ".vec", Size: int64(len(data)),
		Resource: f.Resource, MediaType: "application/octet-stream",
	}
	if _, err := m.store.StoreEvidence(ctx, key, meta, bytes.NewReader(data)); err != nil {
		return fmt.Errorf("search: keep vectors: %w", err)
	}
	return nil
}
