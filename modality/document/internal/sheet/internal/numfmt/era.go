package numfmt

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An era is an era of the Japanese calendar. Spreadsheets count days from 1900, so the
// first one is Meiji.
type era struct {
	first         time.Time
	year          int // the year before its first year
	latin, kanji1 string
	kanji         string
}

var eras = []era{
	{day(43586), 2018, "R", "令", "令和"}, // 1 May 2019
	{day(32516), 1988, "H", "平", "平成"}, // 8 January 1989
	{day(9856), 1925, "S", "昭", "昭和"},  // 25 December 1926
	{day(4595), 1911, "T", "大", "大正"},  // 30 July 1912
	{day(0), 1867, "M", "明", "明治"},
}

func eraOf(t time.Time) era {
	for _, e := range eras {
		if !t.Before(e.first) {
			return e
		}
	}
	return eras[len(eras)-1]
}

// name returns the name of an era for n letters "g".
func (e era) name(n int) string {
	switch n {
	case 1:
		return e.latin
	case 2:
		return e.kanji1
	}
	return e.kanji
}

// A calendar determines what the letters "e" and "g" of a date show.
type calendar int

const (
	gregorian calendar = iota
	japanese
	minguo // of Taiwan
)

// calendarOf returns the calendar for the text after the hyphen in "[$-411]": a
// hexadecimal language number, whose lower half is the language ([MS-LCID], section
// 2.2), or a language name.
func calendarOf(language string) calendar {
	if n, err := strconv.ParseUint(language, 16, 32); err == nil {
		language = fmt.Sprintf("%x", n&0xffff)
	}
	switch strings.ToLower(language) {
	case "411", "ja-jp":
		return japanese
	case "404", "zh-tw":
		return minguo
	}
	return gregorian
}

// eraUnit formats the letters "e" and "g" of a date.
func (s *section) eraUnit(letters string, year int, day time.Time) string {
	width := min(len(letters), 2)
	switch {
	case letters[0] == 'g' && s.calendar == japanese:
		return eraOf(day).name(len(letters))
	case letters[0] == 'g':
		return ""
	case s.calendar == japanese:
		return pad(int64(year-eraOf(day).year), width)
	case s.calendar == minguo:
		return pad(int64(year-1911), width)
	}
	return strconv.Itoa(year)
}
