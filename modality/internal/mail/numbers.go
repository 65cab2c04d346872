package mail

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

const maxNumber = 32 // numbers in that of a part

// A message is the tree of a message, and its parts by number.
type message struct {
	root  *entity
	parts map[string]*entity
	order []string // the numbers of the parts that have one, in the order of the message
	top   int      // parts at the top: 1 unless it is a multipart
	why   error    // that its parts are not read; nil if they are
}

// size returns roughly how many bytes of memory m takes.
func (m *message) size() int64 { return int64(1024 * (len(m.order) + 1)) }

// number gives the parts of a message their numbers (RFC 3501, section 6.4.5):
// those of a multipart count from 1, and a message that is not a multipart has
// part 1.
func (m *message) number(root *entity, prefix string) error {
	if !root.isMultipart() {
		return m.numberPart(root, prefix+"1")
	}
	for i, part := range root.parts {
		if err := m.numberPart(part, prefix+strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	return nil
}

func (m *message) numberPart(e *entity, number string) error {
	if (citekit.Location{Modality: citekit.Text, Part: number}).Validate() != nil {
		return tooDeep(maxNumber)
	}
	e.number = number
	m.parts[number] = e
	m.order = append(m.order, number)
	if e.message != nil {
		return m.number(e.message, number+".")
	}
	for i, part := range e.parts {
		if err := m.numberPart(part, number+"."+strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	return nil
}

// part returns the part with a number. The error matches [citekit.ErrRange] if
// there is none.
func (m *message) part(number string) (*entity, error) {
	if m.why != nil {
		return nil, m.why
	}
	if e := m.parts[number]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("part %s; %s: %w", number, m.whatThereIs(number), citekit.ErrRange)
}

// whatThereIs says which parts there are, for the error about a missing one.
func (m *message) whatThereIs(number string) string {
	outer := ""
	for i := strings.LastIndexByte(number, '.'); i > 0 && outer == ""; i = strings.LastIndexByte(number[:i], '.') {
		if m.parts[number[:i]] != nil {
			outer = number[:i]
		}
	}
	if outer == "" {
		return "the message has parts " + upTo("", m.top)
	}
	n := 0
	for m.parts[outer+"."+strconv.Itoa(n+1)] != nil {
		n++
	}
	if n == 0 {
		return "part " + outer + " has none of its own"
	}
	return "part " + outer + " has parts " + upTo(outer+".", n)
}

func upTo(prefix string, n int) string {
	if n == 1 {
		return prefix + "1"
	}
	return fmt.Sprintf("%s1-%s%d", prefix, prefix, n)
}
