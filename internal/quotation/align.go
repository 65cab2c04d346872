package quotation

// An alignment is the part of a text that is most like a quote.
type alignment struct {
	from, to   int // words
	similarity float64
	matches    int
}

// alignLong aligns a quote of any length with a text, in chunks of chunkWords.
func alignLong(quote, text []uint32) alignment {
	if len(quote) <= chunkWords {
		return align(quote, text)
	}
	var whole alignment
	at, first := 0, true
	for from := 0; from < len(quote) && at < len(text); from += chunkWords {
		chunk := quote[from:min(len(quote), from+chunkWords)]
		a := align(chunk, text[at:min(len(text), at+len(chunk)+len(chunk)/4+2*slack)])
		if a.matches*4 < len(chunk) {
			continue
		}
		if first {
			whole.from, first = at+a.from, false
		}
		at += a.to
		whole.to, whole.matches = at, whole.matches+a.matches
	}
	whole.similarity = 2 * float64(whole.matches) / float64(len(quote)+whole.to-whole.from)
	return whole
}

// Scores of an alignment.
const (
	gain = 2
	cost = -1
)

const (
	fromBoth = iota + 1
	fromQuote
	fromText
)

// align finds the part of a text that best fits all words of a quote: the alignment is
// global in the quote and local in the text. Time and memory grow with the product of
// their lengths.
func align(quote, text []uint32) alignment {
	n, m := len(quote), len(text)
	row, above := make([]int32, m+1), make([]int32, m+1)
	moves := make([]uint8, (n+1)*(m+1))
	for i := 1; i <= n; i++ {
		row, above = above, row
		row[0] = above[0] + cost
		moves[i*(m+1)] = fromQuote
		for j := 1; j <= m; j++ {
			score, move := above[j-1]+cost, uint8(fromBoth)
			if quote[i-1] == text[j-1] {
				score = above[j-1] + gain
			}
			if s := above[j] + cost; s > score {
				score, move = s, fromQuote
			}
			if s := row[j-1] + cost; s > score {
				score, move = s, fromText
			}
			row[j], moves[i*(m+1)+j] = score, move
		}
	}
	best := 0
	for j := range row {
		if row[j] >= row[best] { // the last of equals, so that a differing last word gets its place
			best = j
		}
	}
	return trace(quote, text, moves, best)
}

// trace follows the moves of an alignment back from the end of the quote.
func trace(quote, text []uint32, moves []uint8, end int) alignment {
	n, m := len(quote), len(text)
	a := alignment{to: end}
	i, j := n, end
	for i > 0 {
		switch moves[i*(m+1)+j] {
		case fromBoth:
			if quote[i-1] == text[j-1] {
				a.matches++
			}
			i, j = i-1, j-1
		case fromQuote:
			i--
		default:
			j--
		}
	}
	a.from = j
	a.similarity = 2 * float64(a.matches) / float64(n+end-j)
	return a
}
