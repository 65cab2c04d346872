package selector

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

const (
	maxName   = 4 << 10 // bytes of a name
	maxCols   = 1 << 10
	maxPart   = 128 // bytes
	partDepth = 32
)

// MemberSeparator separates the two names of a member that is in an archive within
// an archive: first that of the inner archive, then that of its member.
const MemberSeparator = "!/"

// MaxMemberDepth is the maximum number of names of a member: two, where the first is
// an archive within the archive.
const MaxMemberDepth = 2

// A Name is that of a sheet or a table.
type Name string

func (n Name) IsZero() bool   { return n == "" }
func (n Name) String() string { return plain.PercentEncode(string(n)) }

func (n *Name) Parse(param, text string) error {
	name, err := url.PathUnescape(text)
	switch {
	case err != nil:
		return fmt.Errorf("%s=%s has a bad percent escape", param, message.Clip(text))
	case name == "":
		return fmt.Errorf("%s has no name; write such as %s=Results", param, param)
	}
	*n = Name(name)
	return n.Check(param)
}

func (n *Name) Read(_ string, from *strictjson.Scanner) error { return from.Name((*string)(n)) }

func (n Name) Write(name string, to *strictjson.Writer) { to.Text(name, string(n)) }

func (n Name) Check(name string) error {
	switch {
	case len(n) > maxName:
		return fmt.Errorf("%s of %d bytes; at most %d", name, len(n), maxName)
	case n == noName:
		return fmt.Errorf("a %s without a name; an empty name is none", name)
	case !message.IsPlain(string(n)):
		return fmt.Errorf("%s has control characters or is not UTF-8", name)
	}
	return nil
}

// TableNumber returns the number that the name of a table is, from 1 and without zeros
// before it, or 0 if it is none.
func TableNumber(table string) int {
	n, err := strconv.Atoi(table)
	if err != nil || n < 1 || n > MaxRow || table[0] < '1' || table[0] > '9' {
		return 0
	}
	return n
}

// CheckTable returns an error if a table that is counted on a number of pages, or in a part, is
// no number, or if there are several pages or parts.
func CheckTable(table string, pages int, part string) error {
	switch {
	case TableNumber(table) == 0:
		return fmt.Errorf("table %s; tables are counted from 1, such as pages=5&table=2&cells=B3", message.Quote(table))
	case pages > 1:
		return fmt.Errorf("table %s of %d pages; a table is on exactly one page", table, pages)
	case strings.Contains(part, "-"):
		return fmt.Errorf("table %s of parts %s; tables are counted in one part", table, part)
	}
	return nil
}

// A Member is the name of a member of an archive, or of a member of that.
type Member struct{ *Name }

func (m Member) String() string { return encodeBut(string(*m.Name), "/!") }

func (m Member) Check(name string) error {
	if err := m.Name.Check(name); err != nil || *m.Name == "" {
		return err
	}
	text := string(*m.Name)
	names := strings.Split(text, MemberSeparator)
	if len(names) > MaxMemberDepth {
		return fmt.Errorf("%s %s is %d deep; at most %d", name, message.Quote(text), len(names), MaxMemberDepth)
	}
	for _, name := range names {
		for part := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
			if part == "" || part == "." || part == ".." {
				return fmt.Errorf("member %s; it is the name in the archive, such as dir/a.pdf, and leads to no folder outside it", message.Quote(text))
			}
		}
	}
	return nil
}

// encodeBut percent-encodes a name, except the bytes in kept.
func encodeBut(name, kept string) string {
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(kept, name[i]) >= 0 {
			b.WriteByte(name[i])
		} else {
			b.WriteString(plain.PercentEncode(name[i : i+1]))
		}
	}
	return b.String()
}

// A Part is the number of a part of a mail or a book, or a run of them in a book.
type Part string

func (p Part) IsZero() bool   { return p == "" }
func (p Part) String() string { return plain.PercentEncode(string(p)) }

func (p *Part) Parse(name, text string) error {
	if run := Part(text).Run(); !run.IsZero() {
		text = run.String()
	} else if !isPart(text) {
		return fmt.Errorf("%s=%s; parts are numbers from 1, such as part=4, part=4-6 with the lower one first, or part=1.2 in a mail", name, message.Clip(text))
	}
	*p = Part(text)
	return nil
}

func (p *Part) Read(_ string, from *strictjson.Scanner) error { return from.Name((*string)(p)) }

func (p Part) Write(name string, to *strictjson.Writer) { to.Text(name, string(p)) }

func (p Part) Check(name string) error {
	run, quoted := p.Run(), message.Quote(string(p))
	switch isRun := strings.Contains(string(p), "-"); {
	case p == "":
		return nil
	case p == noName:
		return errors.New("a part without a number; parts are numbers from 1, such as 4 or 4-6, or 1.2 in a mail")
	case !isRun && !isPart(string(p)):
		return fmt.Errorf("%s %s; parts are numbers from 1, such as 4 or 4-6, or 1.2 in a mail", name, quoted)
	case isRun && run.IsZero():
		return fmt.Errorf("%s %s; several parts are whole numbers from 1, the lower one first, such as 4-6", name, quoted)
	case isRun && run.String() != string(p):
		return fmt.Errorf("%s %s; write %s", name, quoted, run)
	}
	return nil
}

// Run returns the parts of a run such as "4-6" or "4", or zero if p is none, such as
// "1.2".
func (p Part) Run() Run {
	from, to, isRun := strings.Cut(string(p), "-")
	if !isRun {
		to = from
	}
	run := Run{partNumber(from), partNumber(to)}
	if run.First == 0 || run.Last < run.First {
		return Run{}
	}
	return run
}

// isPart reports whether s is numbers from 1 with dots between, without leading
// zeros.
func isPart(s string) bool {
	if len(s) > maxPart || strings.Count(s, ".") >= partDepth {
		return false
	}
	for number := range strings.SplitSeq(s, ".") {
		if partNumber(number) == 0 {
			return false
		}
	}
	return true
}

// partNumber returns a number from 1 that has no leading zero, or 0.
func partNumber(s string) int {
	if n := plain.WholeNumber(s); n >= 1 && n <= MaxRow && s[0] != '0' {
		return n
	}
	return 0
}

// Columns are the names of columns, or a run of letters of a sheet.
type Columns []string

func (c Columns) IsZero() bool { return len(c) == 0 }

func (c Columns) String() string {
	var encoded []string
	for _, col := range c {
		encoded = append(encoded, encodeBut(col, ":"))
	}
	return strings.Join(encoded, ",")
}

func (c *Columns) Parse(name, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		var col Name
		if err := col.Parse(name, part); err != nil {
			return err
		}
		if *c = append(*c, string(col)); len(*c) > maxCols {
			return fmt.Errorf("more than %d %s", maxCols, name)
		}
	}
	return nil
}

func (c *Columns) Read(_ string, from *strictjson.Scanner) error {
	return from.Elements(func() error {
		var col string
		err := from.Name(&col)
		*c = append(*c, col)
		return err
	})
}

func (c Columns) Write(name string, to *strictjson.Writer) { to.Value(name, []string(c)) }

func (c Columns) Check(name string) error {
	if len(c) > maxCols {
		return fmt.Errorf("%d %s; at most %d", len(c), name, maxCols)
	}
	for _, col := range c {
		if col == "" {
			return errors.New(name + " has an empty name")
		}
		if err := Name(col).Check(name); err != nil {
			return err
		}
	}
	return nil
}

// Letters returns the first and the last column of a run of letters, such as "B:D" or
// "B", counted from 1, or zeros if c is none.
func (c Columns) Letters() (first, last int) {
	if len(c) != 1 {
		return 0, 0
	}
	from, to, isRange := strings.Cut(c[0], ":")
	if !isRange {
		to = from
	}
	first, last = ColNumber(from), ColNumber(to)
	if first == 0 || last < first {
		return 0, 0
	}
	return first, last
}

// ColRun returns the canonical form of a run of letters.
func ColRun(first, last int) string {
	if first == last {
		return ColName(first)
	}
	return ColName(first) + ":" + ColName(last)
}
