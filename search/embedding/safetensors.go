package embedding

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/citekit/citekit"
)

// maxHeader is the largest size of the header of a safetensors file, in bytes.
const maxHeader = 16 << 20

// A tensor is an array of numbers in a safetensors file, in the file's own
// encoding.
type tensor struct {
	kind  string // such as "F32"
	shape []int
	data  []byte
}

// widths are the sizes in bytes of the supported kinds of numbers.
var widths = map[string]int{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I8": 1}

// readTensors reads a safetensors file: the length of the header in 8 bytes,
// the header, which is JSON, and the numbers. It skips tensors of other kinds.
// The error matches [citekit.ErrSyntax] if the file is invalid.
func readTensors(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, broken("it has %d bytes", len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	if n > maxHeader || n > uint64(len(file)-8) {
		return nil, broken("its header has %d bytes; at most %d are allowed", n, min(maxHeader, len(file)-8))
	}
	var header map[string]json.RawMessage
	if json.Unmarshal(file[8:8+n], &header) != nil {
		return nil, broken("its header is not JSON")
	}
	numbers := file[8+n:]
	tensors := make(map[string]tensor)
	for name, raw := range header {
		if name == "__metadata__" {
			continue
		}
		var entry struct {
			Kind    string   `json:"dtype"`
			Shape   []int    `json:"shape"`
			Offsets []uint64 `json:"data_offsets"`
		}
		if json.Unmarshal(raw, &entry) != nil || len(entry.Offsets) != 2 {
			return nil, broken("a tensor has no type, shape or offsets")
		}
		from, to := entry.Offsets[0], entry.Offsets[1]
		if from > to || to > uint64(len(numbers)) {
			return nil, broken("a tensor is at %d to %d of %d bytes", from, to, len(numbers))
		}
		t := tensor{entry.Kind, entry.Shape, numbers[from:to]}
		if widths[t.kind] == 0 {
			continue
		}
		if !t.fits() {
			return nil, broken("the size of a tensor does not match its shape")
		}
		tensors[name] = t
	}
	return tensors, nil
}

func broken(format string, args ...any) error {
	return fmt.Errorf("the file is not safetensors: "+format+": %w", append(args, citekit.ErrSyntax)...)
}

// fits reports whether a tensor has as many numbers as its shape requires.
func (t *tensor) fits() bool {
	size := widths[t.kind]
	for _, n := range t.shape {
		if n < 1 || size > len(t.data)/n {
			return false
		}
		size *= n
	}
	return size == len(t.data)
}

// at returns the i-th number.
func (t *tensor) at(i int) float64 {
	little := binary.LittleEndian
	switch t.kind {
	case "F64":
		return math.Float64frombits(little.Uint64(t.data[8*i:]))
	case "F32":
		return float64(math.Float32frombits(little.Uint32(t.data[4*i:])))
	case "F16":
		return float16(little.Uint16(t.data[2*i:]))
	case "BF16":
		return float64(math.Float32frombits(uint32(little.Uint16(t.data[2*i:])) << 16))
	case "I64":
		return float64(int64(little.Uint64(t.data[8*i:])))
	case "I32":
		return float64(int32(little.Uint32(t.data[4*i:])))
	}
	return float64(int8(t.data[i]))
}

// addRow adds a row of a table, times a weight, to a sum of the same width.
func (t *tensor) addRow(sum []float64, row int, weight float64) {
	if t.kind != "F32" {
		for i := range sum {
			sum[i] += weight * t.at(row*len(sum)+i)
		}
		return
	}
	data := t.data[4*row*len(sum):][:4*len(sum)]
	for i := range sum {
		sum[i] += weight * float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
}

// float16 converts a 16-bit IEEE 754 number.
func float16(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	sign := 1 - 2*float64(bits>>15)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
