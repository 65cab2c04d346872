package subtitle

import (
	"bytes"
	"strconv"
	"strings"
)

// parseTimes reads the times of a cue, "start --> end", with or without settings after
// them.
func parseTimes(line []byte) (start, end float64, ok bool) {
	left, right, ok := bytes.Cut(line, []byte("-->"))
	if !ok || len(left) > maxClock {
		return 0, 0, false
	}
	right = bytes.TrimLeft(right[:min(len(right), maxClock)], " \t")
	if i := bytes.IndexAny(right, " \t"); i >= 0 {
		right = right[:i]
	}
	start, ok = parseClock(string(left))
	if !ok {
		return 0, 0, false
	}
	end, ok = parseClock(string(right))
	return start, end, ok
}

// maxClock is the maximum length in bytes of a time beside an arrow.
const maxClock = 64

// parseClock reads a time as h:mm:ss or mm:ss, optionally with decimals after a dot or
// comma, in seconds. Negative times become 0.
func parseClock(s string) (seconds float64, ok bool) {
	s = strings.TrimSpace(s)
	s, negative := strings.CutPrefix(s, "-")
	whole, fraction := s, ""
	if i := strings.IndexAny(s, ".,"); i >= 0 {
		whole, fraction = s[:i], s[i+1:]
	}
	parts := strings.Split(whole, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	var total int64
	for i, part := range parts {
		n, ok := parseDigits(part, 5)
		if !ok || i > 0 && n >= 100 {
			return 0, false
		}
		total = 60*total + n
	}
	const digits = 9
	nanos, ok := int64(0), true
	if fraction != "" {
		fraction = fraction[:min(len(fraction), digits)]
		nanos, ok = parseDigits(fraction+strings.Repeat("0", digits-len(fraction)), digits)
	}
	if negative {
		return 0, ok
	}
	return float64(total*1e9+nanos) / 1e9, ok
}

// parseDigits reads a whole number of up to most digits.
func parseDigits(s string, most int) (int64, bool) {
	if len(s) == 0 || len(s) > most {
		return 0, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
