package pdf

import "fmt"

const maxRow = 1 << 24 // bytes of a row, far more than in images

// unpredict reverses the predictor of a filter (7.4.4.4), in place. With an error the
// data is partly converted.
func (f Filter) unpredict(data []byte) ([]byte, error) {
	predictor := f.parameter("Predictor", 1)
	if predictor == 1 {
		return data, nil
	}
	colors, bits, columns := f.parameter("Colors", 1), f.parameter("BitsPerComponent", 8), f.parameter("Columns", 1)
	if colors < 1 || colors > 64 || bits < 1 || bits > 16 || columns < 1 || columns > maxRow {
		return data, fmt.Errorf("a predictor with impossible parameters: %w", ErrDamaged)
	}
	row := (colors*bits*columns + 7) / 8
	step := max((colors*bits+7)/8, 1)
	if row > maxRow {
		return data, fmt.Errorf("a predictor with rows of %d bytes: %w", row, ErrLimit)
	}
	if predictor == 2 {
		if bits != 8 {
			return data, fmt.Errorf("a TIFF predictor for %d bits: %w", bits, ErrDamaged)
		}
		return unpredictTIFF(data, row, step), nil
	}
	return unpredictPNG(data, row, step)
}

func (f Filter) parameter(key Name, value int) int {
	if n, ok := f.Parms[key].(int64); ok && n == int64(int32(n)) {
		return int(n)
	}
	return value
}

func unpredictTIFF(data []byte, row, step int) []byte {
	for start := 0; start < len(data); start += row {
		line := data[start:min(start+row, len(data))]
		for i := step; i < len(line); i++ {
			line[i] += line[i-step]
		}
	}
	return data
}

// unpredictPNG reverses the PNG filters. Each row begins with its filter type.
func unpredictPNG(data []byte, row, step int) ([]byte, error) {
	above := make([]byte, row)
	all, out := data, data[:0]
	for len(data) > 0 {
		filter := data[0]
		line := data[1:min(1+row, len(data))]
		data = data[1+len(line):]
		if err := unfilter(filter, line, above, step); err != nil {
			return all, err
		}
		out = append(out, line...)
		above = out[len(out)-len(line):]
	}
	return out, nil
}

func unfilter(filter byte, line, above []byte, step int) error {
	switch filter {
	case 0:
	case 1:
		for i := step; i < len(line); i++ {
			line[i] += line[i-step]
		}
	case 2:
		for i := range line {
			line[i] += above[i]
		}
	case 3:
		for i := range line {
			left := 0
			if i >= step {
				left = int(line[i-step])
			}
			line[i] += byte((left + int(above[i])) / 2)
		}
	case 4:
		for i := range line {
			var left, corner byte
			if i >= step {
				left, corner = line[i-step], above[i-step]
			}
			line[i] += paeth(left, above[i], corner)
		}
	default:
		return fmt.Errorf("the PNG filter %d: %w", filter, ErrDamaged)
	}
	return nil
}

func paeth(left, above, corner byte) byte {
	p := int(left) + int(above) - int(corner)
	dl, da, dc := abs(p-int(left)), abs(p-int(above)), abs(p-int(corner))
	switch {
	case dl <= da && dl <= dc:
		return left
	case da <= dc:
		return above
	}
	return corner
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
