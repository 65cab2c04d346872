package numfmt

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// maxDay is the first day after the year 9999, counted from 1900.
const maxDay = 2958466

// from1904 is how many days 1 January 1904 is after day 0 of 1900.
const from1904 = 1462

// date formats a number of days. It returns false before 1900 and after 9999.
func (s *section) date(v float64, since1904 bool) (string, bool) {
	if math.IsNaN(v) || v < 0 && !s.onlyElapsed() {
		return "", false
	}
	if since1904 && !s.onlyElapsed() {
		v += from1904
	}
	if math.Abs(v) >= maxDay {
		return "", false
	}
	unit := int64(math.Pow10(s.subs)) // units per second
	total := int64(math.Round(math.Abs(v) * 86400 * float64(unit)))
	m := moment{days: total / (86400 * unit), seconds: total / unit % 86400, sub: total % unit, total: total / unit}
	m.time = day(m.days)
	sign := ""
	if v < 0 && total != 0 {
		sign = "-"
	}
	var b strings.Builder
	for _, t := range s.tokens {
		switch t.kind {
		case tokenLiteral:
			b.WriteString(t.text)
		case tokenDate:
			b.WriteString(s.unit(t.text, m))
		case tokenElapsed:
			b.WriteString(elapsed(t.text, m.total))
		case tokenHalf:
			b.WriteString(half(t.text, m.seconds >= 43200))
		case tokenSubs:
			b.WriteString("." + pad(m.sub, len(t.text)-1))
		case tokenSlash, tokenPoint, tokenComma, tokenDigit:
			b.WriteString(t.text)
		}
	}
	return sign + strings.TrimSpace(b.String()), true
}

// onlyElapsed reports whether the section has elapsed time, which may be negative, and
// no date.
func (s *section) onlyElapsed() bool {
	found := false
	for _, t := range s.tokens {
		if t.kind == tokenDate && strings.IndexByte("ymde", t.text[0]) >= 0 {
			return false
		}
		found = found || t.kind == tokenElapsed
	}
	return found
}

type moment struct {
	time           time.Time // date
	days           int64     // from 1900
	seconds, total int64     // of the day, of the whole time
	sub            int64
}

// day returns a day counted from 1900. Day 60 does not exist, but spreadsheets show it
// as 29 February 1900, and so does unit.
func day(days int64) time.Time {
	if days < 60 {
		days++
	}
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
}

// unit formats one unit of a date or time.
func (s *section) unit(letters string, m moment) string {
	year, month, day := m.time.Date()
	if m.days == 60 {
		year, month, day = 1900, 2, 29
	} else if m.days == 0 {
		year, month, day = 1900, 1, 0
	}
	weekday := time.Weekday((m.days + 6) % 7)
	n := len(letters)
	switch letters[0] {
	case 'y':
		if n <= 2 {
			return pad(int64(year%100), 2)
		}
		return pad(int64(year), 4)
	case 'e', 'g':
		return s.eraUnit(letters, year, m.time)
	case 'b':
		return pad(int64(year+543), 4)
	case 'm':
		switch n {
		case 1, 2:
			return pad(int64(month), n)
		case 3:
			return month.String()[:3]
		case 5:
			return month.String()[:1]
		}
		return month.String()
	case 'd', 'a':
		switch {
		case letters[0] == 'd' && n <= 2:
			return pad(int64(day), n)
		case n == 3:
			return weekday.String()[:3]
		}
		return weekday.String()
	case 'h':
		hour := m.seconds / 3600
		if s.clock12 {
			hour = (hour+11)%12 + 1
		}
		return pad(hour, min(n, 2))
	case 'n':
		return pad(m.seconds/60%60, n)
	case 's':
		return pad(m.seconds%60, min(n, 2))
	}
	return ""
}

// elapsed formats the whole time in hours, minutes or seconds.
func elapsed(letters string, total int64) string {
	unit := map[byte]int64{'h': 3600, 'm': 60, 's': 1}[letters[0]]
	return pad(total/unit, min(len(letters), 9))
}

func half(written string, second bool) string {
	am, pm, _ := strings.Cut(written, "/")
	if second {
		return pm
	}
	return am
}

func pad(n int64, width int) string { return fmt.Sprintf("%0*d", width, n) }
