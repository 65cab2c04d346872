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

// A vectorStore is a store for vectors.
type vectorStore interface {
	citekit.EvidenceStore
	citekit.EvidenceOpener
}

// A textHash identifies the text of a vector.
type textHash [16]byte

func hashOf(text string) (h textHash) {
	sum := sha256.Sum256([]byte(text))
	copy(h[:], sum[:])
	return h
}

// A vector has length 1 and one byte for each number; the number is code×scale.
// A scale of 0 means that there is no vector.
type vector struct {
	hash  textHash
	scale float32
	codes []int8
}

const maxCode = 127

// quantise scales a vector of finite numbers to length 1 and encodes it in
// bytes.
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

// A queryVector is the vector of a query, with more precision than stored
// vectors.
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

// cosine returns the cosine between the query and a vector, from -1 to 1.
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

// lane is how many products can be added without overflow of an int32.
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

// A vectorSet holds the vectors of the entries of a resource, by ordinal.
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

// scores returns a function that returns how near a vector is. A vector at a
// right angle or more is not near.
func (s *vectorSet) scores(q *queryVector) func(ordinal int) (float64, bool) {
	return func(n int) (float64, bool) {
		if n < 0 || n >= len(s.scales) || s.scales[n] == 0 {
			return 0, false
		}
		cosine := q.cosine(s.scales[n], s.codes[n*s.dimensions:(n+1)*s.dimensions])
		return cosine, cosine > 0
	}
}

// A vectorFile is the stored form of the vectors of a resource: all of them, or
// those made before an interruption.
type vectorFile struct {
	vectorHead
	vectors []vector
}

// A vectorHead describes the vectors of a file. It is stored as JSON.
type vectorHead struct {
	Resource   string `json:"resource"`
	Version    string `json:"version"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	Count      int    `json:"count"`
	Complete   bool   `json:"complete"` // there is one vector for each entry, in the order of the entries
}

const (
	vectorMagic   = "citekit vectors 1\n"
	maxVectorHead = 64 << 10
	maxVectors    = 1 << 24
	maxVectorFile = 1 << 31
)

// errForeign reports a file with other vectors than expected.
var errForeign = errors.New("search: these are other vectors")

// encode returns the file: the magic, the length of the head in 4 bytes, the
// head, and for each vector its hash, scale and codes. Numbers are
// little-endian.
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

// decodeVectors parses the form that encode returns.
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

// vectorKey returns the key under which the vectors of a resource are stored.
func vectorKey(resource, model string) string {
	return ctxio.HashParts("search vectors", vectorMagic, resource, model)
}

// load returns the stored vectors of a resource. If they are damaged, or of
// another resource or model, they are treated as missing: load returns an empty
// file.
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

// keep stores a file. It is deleted with the map of its resource.
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
