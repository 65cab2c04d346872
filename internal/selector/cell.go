package selector

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// Bounds of cells. Spreadsheets have fewer; a column has at most three letters.
const (
	MaxCol = 26 + 26*26 + 26*26*26 // largest column, ZZZ
	MaxRow = 1<<31 - 1             // largest row
)

// ColName returns the letters of a column, counted from 1, such as "A" for 1
// and "AB" for 28; "" for a number out of range.
func ColName(col int) string {
	if col < 1 || col > MaxCol {
		return ""
	}
	var letters []byte
	for ; col > 0; col = (col - 1) / 26 {
		letters = append(letters, byte('A'+(col-1)%26))
	}
	slices.Reverse(letters)
	return string(letters)
}

// ColNumber returns the number of the column with the given letters, of either
// case, or 0 if there is no such column.
func ColNumber(letters string) int {
	n := 0
	for i := range len(letters) {
		c := letters[i] &^ 0x20
		if c < 'A' || c > 'Z' || i >= 3 {
			return 0
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}

// A Cell is a column and a row, both counted from 1.
type Cell struct{ Col, Row int32 }

// String returns A1 notation, such as "B5".
func (c Cell) String() string { return ColName(int(c.Col)) + strconv.Itoa(int(c.Row)) }

// parse parses A1 notation, such as "B5" or "$B$5".
func (c *Cell) parse(s string) error {
	rest := strings.TrimPrefix(s, "$")
	n := len(rest) - len(strings.TrimLeft(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
	col, row := ColNumber(rest[:n]), plain.WholeNumber(strings.TrimPrefix(rest[n:], "$"))
	if col < 1 || row < 1 || row > MaxRow {
		return fmt.Errorf("cell %s; write its column in letters and its row in digits, such as B5", message.Quote(s))
	}
	*c = Cell{int32(col), int32(row)}
	return nil
}

// Cells are a rectangle of cells, both corners included.
type Cells[C ~struct{ Col, Row int32 }] struct{ First, Last C }

func (c Cells[C]) IsZero() bool { return c == Cells[C]{} }

// String returns A1 notation, such as "B5:D10", or "B5" for one cell.
func (c Cells[C]) String() string {
	if c.First == c.Last {
		return Cell(c.First).String()
	}
	return Cell(c.First).String() + ":" + Cell(c.Last).String()
}

// Parse reads A1 notation with percent escapes, as some programs escape ":".
func (c *Cells[C]) Parse(_, text string) error {
	if unescaped, err := url.PathUnescape(text); err == nil {
		text = unescaped
	}
	return c.Set(text)
}

// Set parses A1 notation, such as "B5:D10", "B5" or "$B$5". Corners in another order
// are put in order.
func (c *Cells[C]) Set(text string) error {
	first, last, isRange := strings.Cut(text, ":")
	if !isRange {
		last = first
	}
	var a, b Cell
	if err := a.parse(first); err != nil {
		return err
	}
	if err := b.parse(last); err != nil {
		return err
	}
	c.First = C(Cell{min(a.Col, b.Col), min(a.Row, b.Row)})
	c.Last = C(Cell{max(a.Col, b.Col), max(a.Row, b.Row)})
	return nil
}

func (c *Cells[C]) Read(_ string, from *strictjson.Scanner) error {
	var text string
	if err := from.Text(&text); err != nil || text == "" {
		return err
	}
	return c.Set(text)
}

func (c Cells[C]) Write(name string, to *strictjson.Writer) { to.Text(name, c.String()) }

func (c Cells[C]) Check(name string) error {
	first, last := Cell(c.First), Cell(c.Last)
	switch {
	case c.IsZero():
		return nil
	case first.Col < 1 || first.Row < 1 || last.Col > MaxCol:
		return errors.New(name + " are not in A1 notation; write such as B5:D10")
	case last.Col < first.Col || last.Row < first.Row:
		return fmt.Errorf("%s %s; write the top left corner first", name, c)
	}
	return nil
}
