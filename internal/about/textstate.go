package about

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// TextStateKey is the key, in the metadata of a map, of the pages whose text is not
// [TextFull]: an object with the pages of each other state, such as {"none": "1-3,7"}.
const TextStateKey = "text_state"

// The states of the text of a page, or of a picture.
const (
	TextFull    = "full"    // what it shows as text can be read, or it shows none, like a blank page
	TextNone    = "none"    // it is a picture, as in a scan
	TextPartial = "partial" // it is a picture with a few words beside it that can be read
	TextDamaged = "damaged" // its characters do not say which letters they are
)

// textStates are the states that are kept.
var textStates = []string{TextNone, TextPartial, TextDamaged}

// maxStateRuns is how many runs of pages of one state are kept.
const maxStateRuns = 2000

// Pages are runs of pages, in order: each its first and its last, from 1.
type Pages [][2]int

// Add adds a page behind those there are.
func (p *Pages) Add(page int) {
	if n := len(*p); n > 0 && (*p)[n-1][1] == page-1 {
		(*p)[n-1][1] = page
		return
	}
	*p = append(*p, [2]int{page, page})
}

// Count returns how many pages they are.
func (p Pages) Count() int {
	n := 0
	for _, run := range p {
		n += run[1] - run[0] + 1
	}
	return n
}

// String returns the pages as addresses have them, such as "1-3,7".
func (p Pages) String() string {
	var b strings.Builder
	for i, run := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(run[0]))
		if run[0] != run[1] {
			b.WriteString("-" + strconv.Itoa(run[1]))
		}
	}
	return b.String()
}

// parsePages is the inverse of String. It returns the pages before what is none.
func parsePages(text string) (p Pages) {
	last := 0
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRun := strings.Cut(part, "-")
		if !isRun {
			to = from
		}
		first, err := strconv.Atoi(from)
		end, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || first <= last || end < first || end > maxPage {
			break
		}
		p, last = append(p, [2]int{first, end}), end
	}
	return p
}

const maxPage = 1 << 31

// TextStates are pages by the state of their text, without those that are [TextFull].
type TextStates map[string]Pages

// Add notes the state of a page; pages come in order.
func (s TextStates) Add(page int, state string) {
	if !slices.Contains(textStates, state) {
		return
	}
	pages := s[state]
	pages.Add(page)
	s[state] = pages
}

// Metadata returns the value for TextStateKey, or nil if all pages are full. Cut reports
// that there are more runs of pages than are kept.
func (s TextStates) Metadata() (value map[string]any, cut bool) {
	for state, pages := range s {
		if value == nil {
			value = make(map[string]any)
		}
		value[state] = pages[:min(len(pages), maxStateRuns)].String()
		cut = cut || len(pages) > maxStateRuns
	}
	return value, cut
}

// ReadTextStates reads the states in the metadata of a map.
func ReadTextStates(metadata map[string]any) TextStates {
	s := make(TextStates)
	value, _ := metadata[TextStateKey].(map[string]any)
	for _, state := range textStates {
		text, _ := value[state].(string)
		if pages := parsePages(text); len(pages) > 0 {
			s[state] = pages
		}
	}
	return s
}

// Count returns how many pages they are.
func (s TextStates) Count() int {
	n := 0
	for _, pages := range s {
		n += pages.Count()
	}
	return n
}

// Describe says which of all pages lack text, such as "12 of 300 pages are pictures";
// "" if none does. Of 0 means that their number is not known.
func (s TextStates) Describe(of int) string {
	var all []string
	tell := func(n int, one, many string) {
		switch {
		case n == 0:
		case of == 1:
			all = append(all, "its page is "+one)
		case len(all) == 0 && of > 0:
			all = append(all, fmt.Sprintf("%d of %d pages %s", n, of, isAre(n, one, many)))
		case len(all) == 0:
			all = append(all, message.Count(n, "page")+" "+isAre(n, one, many))
		default:
			all = append(all, fmt.Sprintf("%d %s", n, isAre(n, one, many)))
		}
	}
	tell(s[TextNone].Count()+s[TextPartial].Count(), "a picture", "pictures")
	tell(s[TextDamaged].Count(), "of characters without letters", "of characters without letters")
	return strings.Join(all, ", ")
}

func isAre(n int, one, many string) string {
	if n == 1 {
		return "is " + one
	}
	return "are " + many
}
