package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search"
)

// The files of static embeddings, as model2vec publishes them, and their
// largest sizes.
const (
	matrixFile    = "model.safetensors"
	tokenizerFile = "tokenizer.json"

	maxMatrix    = 2 << 30
	maxTokenizer = 64 << 20
)

// Static embeds texts with a table that has a vector for each token: the vector
// of a text is the mean of the vectors of its tokens, scaled to length 1. It
// needs no server, and is safe for concurrent use. A text without known tokens
// has a vector of zeros.
type Static struct {
	name      string
	tokenizer *tokenizer
	matrix    tensor
	weights   *tensor // of tokens; nil gives all the same weight
	rows      *tensor // row of the matrix of each token; nil if the token is the row
}

var _ search.Embedder = (*Static)(nil)

// NewStatic reads model.safetensors and tokenizer.json from a folder. The table
// is the tensor "embeddings", "embedding.weight", or the only one with two
// dimensions; "weights" and "mapping" of model2vec are used. Tokenizers are
// WordPiece and Unigram. A precompiled normalizer is treated as NFKC.
//
// Errors are those of the folder, or match [citekit.ErrSyntax] if a file is
// invalid, [errors.ErrUnsupported] if a tokenizer uses an unsupported feature,
// or [citekit.ErrTooLarge]: the limits are 2 GiB for the table, which is held
// in memory, and 64 MiB for the tokenizer.
func NewStatic(folder fs.FS) (*Static, error) {
	table, err := readFile(folder, matrixFile, maxMatrix)
	if err != nil {
		return nil, err
	}
	rules, err := readFile(folder, tokenizerFile, maxTokenizer)
	if err != nil {
		return nil, err
	}
	s, err := newStatic(table, rules)
	if err != nil {
		return nil, fmt.Errorf("static embeddings: %w", err)
	}
	sum := sha256.New()
	sum.Write(table)
	sum.Write(rules)
	s.name = "static " + hex.EncodeToString(sum.Sum(nil)[:16])
	return s, nil
}

func readFile(folder fs.FS, name string, most int64) ([]byte, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes: %w", name, most, citekit.ErrTooLarge)
	}
	return data, err
}

func newStatic(table, rules []byte) (*Static, error) {
	tensors, err := readTensors(table)
	if err != nil {
		return nil, err
	}
	s := new(Static)
	if s.matrix, err = matrixOf(tensors); err != nil {
		return nil, err
	}
	if s.tokenizer, err = readTokenizer(rules); err != nil {
		return nil, err
	}
	if rows, ok := tensors["mapping"]; ok {
		s.rows = &rows
	}
	if weights, ok := tensors["weights"]; ok {
		s.weights = &weights
	}
	return s, s.check()
}

// matrixOf returns the table from some tensors.
func matrixOf(tensors map[string]tensor) (tensor, error) {
	for _, name := range []string{"embeddings", "embedding.weight"} {
		if t, ok := tensors[name]; ok && len(t.shape) == 2 {
			return t, nil
		}
	}
	var found []tensor
	for _, t := range tensors {
		if len(t.shape) == 2 {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return tensor{}, broken("it has %d tables, none of them named embeddings", len(found))
	}
	return found[0], nil
}

// check returns an error if a token has no vector.
func (s *Static) check() error {
	tokens := s.matrix.shape[0]
	if s.rows != nil {
		if len(s.rows.shape) != 1 {
			return broken("mapping is not a list")
		}
		tokens = s.rows.shape[0]
		for i := range tokens {
			if row := s.rows.at(i); !(row >= 0 && row < float64(s.matrix.shape[0])) {
				return broken("mapping leads to row %v of %d", row, s.matrix.shape[0])
			}
		}
	}
	if s.weights != nil && (len(s.weights.shape) != 1 || s.weights.shape[0] < tokens) {
		return broken("weights are not a list with one for each token")
	}
	if s.tokenizer.largest >= tokens {
		return fmt.Errorf("the tokenizer has token %d, and the table ends with %d; are both from the same model? %w", s.tokenizer.largest, tokens-1, citekit.ErrSyntax)
	}
	return nil
}

// Name implements [search.Embedder]. It is a hash of both files.
func (s *Static) Name() string { return s.name }

// Dimensions implements [search.Embedder].
func (s *Static) Dimensions() int { return s.matrix.shape[1] }

// Embed implements [search.Embedder]. Queries and passages are treated alike.
func (s *Static) Embed(ctx context.Context, _ search.TextKind, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := s.vector(text)
		if err != nil {
			return nil, err
		}
		vectors[i] = v
	}
	return vectors, ctx.Err()
}

// vector returns the mean of the vectors of the tokens of a text.
func (s *Static) vector(text string) ([]float32, error) {
	dimensions := s.matrix.shape[1]
	sum := make([]float64, dimensions)
	for _, token := range s.tokenizer.tokens(text) {
		row, weight := token, 1.
		if s.rows != nil {
			row = int(s.rows.at(token))
		}
		if s.weights != nil {
			weight = s.weights.at(token)
		}
		s.matrix.addRow(sum, row, weight)
	}
	length := 0.
	for _, x := range sum {
		length += x * x
	}
	v := make([]float32, dimensions)
	if length = math.Sqrt(length); length == 0 {
		return v, nil
	}
	if math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, fmt.Errorf("static embeddings: the table has numbers that are not finite: %w", citekit.ErrSyntax)
	}
	for i, x := range sum {
		v[i] = float32(x / length)
	}
	return v, nil
}
