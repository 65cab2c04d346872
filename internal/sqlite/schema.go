package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// A Table is a table of a database.
type Table struct {
	Name    string
	Columns []Column
	Rowids  bool // false for a table WITHOUT ROWID, whose rows are in primary-key order

	db     *Database
	root   uint32
	sql    string
	plain  bool  // the statement is complete by itself and needs no index
	stored []int // columns in the order of stored rows
	tail   int   // how many of stored have a value even in a row that ends before them

	byFold map[string][]int // columns by folded name, until they are in a primary key
}

// A Column is a column of a table.
type Column struct {
	Name string
	Type string // as declared, or ""

	rowid     bool // alias of the rowid
	virtual   bool // computed and not stored
	real      bool // integers are stored in place of whole numbers
	primary   int  // place in the primary key, from 1, or 0
	undefined Value
}

const (
	maxSchema  = 1 << 16 // tables, views and indexes
	maxColumns = 1 << 15
)

// readSchema reads the tables of db.
func (db *Database) readSchema(ctx context.Context) error {
	if db.pages == 0 {
		return damaged("it has no pages")
	}
	dir, err := db.directory(ctx, 1, true)
	if err != nil || dir.Rows() == 0 {
		return err
	}
	if dir.Rows() > maxSchema {
		return ErrLarge
	}
	var failed error
	err = db.read(ctx, dir, true, 1, dir.Rows(), func(r Row) bool {
		failed = db.readEntry(r)
		return failed == nil
	})
	if err != nil {
		return err
	}
	return failed
}

// readEntry reads a row of the schema: type, name, table, root page and statement.
func (db *Database) readEntry(r Row) error {
	rest, err := newFields(r.payload)
	var values [5]Value
	for i := range values {
		ok := err == nil
		if ok {
			values[i], ok, err = rest.next()
		}
		if !ok || err != nil {
			return damaged("its schema")
		}
	}
	kind, name := db.DecodeText(values[0].Bytes), db.DecodeText(values[1].Bytes)
	root, sql := values[3].Int, db.DecodeText(values[4].Bytes)
	switch {
	case kind == "view" || kind == "table" && root == 0:
		db.Views = append(db.Views, name)
	case kind != "table" || strings.HasPrefix(foldASCII(name), "sqlite_"):
	case root < 2 || root > int64(db.pages):
		return damaged("a table begins on page %d of %d", root, db.pages)
	default:
		t := &Table{Name: name, Rowids: true, db: db, root: uint32(root), sql: sql, plain: true, byFold: make(map[string][]int)}
		if !t.parse() {
			return damaged("the statement of a table")
		}
		db.Tables = append(db.Tables, t)
		if db.byName[name] == nil {
			db.byName[name] = t
		}
		if fold := foldASCII(name); db.byFold[fold] == nil {
			db.byFold[fold] = t
		}
	}
	return nil
}

// parse reads the statement of the table.
func (t *Table) parse() bool {
	all := tokens(t.sql)
	open := 0
	for open < len(all) && !all[open].sign("(") {
		open++
	}
	items, closed := split(all[min(open+1, len(all)):])
	if !closed || len(items) > maxColumns {
		return false
	}
	rest := all[open+1+itemsLen(items):]
	for i, token := range rest {
		if token.is("without") && i+1 < len(rest) && rest[i+1].is("rowid") {
			t.Rowids, t.plain = false, false
		}
	}
	for i, item := range items {
		if len(item) == 0 {
			return false
		}
		if i > 0 && item[0].is("constraint", "primary", "unique", "check", "foreign") {
			t.constraint(item)
		} else {
			t.column(item)
		}
	}
	t.order()
	return true
}

// split splits the tokens up to the closing parenthesis at commas.
func split(all []token) (items [][]token, closed bool) {
	depth, start := 0, 0
	for i, token := range all {
		switch {
		case token.sign("("):
			depth++
		case token.sign(")"):
			if depth--; depth < 0 {
				return append(items, all[start:i]), true
			}
		case token.sign(",") && depth == 0:
			items, start = append(items, all[start:i]), i+1
		}
	}
	return nil, false
}

// itemsLen returns the number of tokens in items, with their separators and the end.
func itemsLen(items [][]token) int {
	n := 0
	for _, item := range items {
		n += len(item) + 1
	}
	return n
}

// column reads the definition of a column.
func (t *Table) column(item []token) {
	c := Column{Name: item[0].text}
	end := 1
	for end < len(item) && !item[end].is("constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references", "generated", "as") {
		end++
	}
	if end > 1 {
		c.Type = t.sql[item[1].start:item[end-1].end]
	}
	c.real = affinityOf(c.Type) == realAffinity
	depth := 0
	for i := end; i < len(item); i++ {
		switch token := item[i]; {
		case token.sign("("):
			depth++
		case token.sign(")"):
			depth--
		case depth > 0:
		case token.is("primary"):
			c.primary = 1
			c.rowid = strings.EqualFold(c.Type, "integer") && !(i+2 < len(item) && item[i+2].is("desc"))
			t.plain = t.plain && c.rowid
		case token.is("default") && i+1 < len(item):
			c.undefined = t.db.defaultValue(c, defaultOf(item[i+1:]))
		case token.is("as"):
			c.virtual, t.plain = true, false
		case token.is("stored"):
			c.virtual = false
		case token.is("unique", "autoincrement"):
			t.plain = false
		}
	}
	fold := foldASCII(c.Name)
	t.byFold[fold] = append(t.byFold[fold], len(t.Columns))
	t.Columns = append(t.Columns, c)
}

// defaultOf returns the tokens of a constant, without enclosing parentheses.
func defaultOf(rest []token) []token {
	if rest[0].sign("(") {
		items, closed := split(rest[1:])
		if closed && len(items) == 1 {
			return items[0]
		}
		return nil
	}
	if (rest[0].sign("-") || rest[0].sign("+") || rest[0].is("x")) && len(rest) > 1 {
		return rest[:2]
	}
	return rest[:1]
}

// constraint reads a constraint of the table.
func (t *Table) constraint(item []token) {
	for i, token := range item {
		switch {
		case token.is("unique"):
			t.plain = false
		case token.sign("("):
			return
		case token.is("primary"):
			t.primaryKey(item[i:])
			return
		}
	}
}

// primaryKey reads the columns of a primary key.
func (t *Table) primaryKey(item []token) {
	open := 0
	for open < len(item) && !item[open].sign("(") {
		open++
	}
	columns, _ := split(item[min(open+1, len(item)):])
	for n, column := range columns {
		if len(column) == 0 {
			continue
		}
		fold := foldASCII(column[0].text)
		for _, i := range t.byFold[fold] {
			if t.Columns[i].primary == 0 {
				t.Columns[i].primary = n + 1
				t.Columns[i].rowid = len(columns) == 1 && strings.EqualFold(t.Columns[i].Type, "integer")
				t.plain = t.plain && t.Columns[i].rowid
			}
		}
		delete(t.byFold, fold)
	}
}

// order determines the order in which rows store the columns. Without rowids the
// primary-key columns come first.
func (t *Table) order() {
	if !t.Rowids {
		for i, c := range t.Columns {
			if c.primary > 0 {
				t.stored = append(t.stored, i)
			}
		}
		slices.SortStableFunc(t.stored, func(i, j int) int { return cmp.Compare(t.Columns[i].primary, t.Columns[j].primary) })
		for n, i := range t.stored {
			if t.Columns[i].primary > n+1 {
				t.stored = t.stored[:n]
				break
			}
		}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		c.rowid = c.rowid && t.Rowids
		if !c.virtual && (t.Rowids || c.primary == 0) {
			t.stored = append(t.stored, i)
		}
	}
	for n, i := range t.stored {
		if t.Columns[i].rowid || t.Columns[i].undefined.Kind != Null {
			t.tail = n + 1
		}
	}
}

// Directory returns the places of the rows of t.
func (t *Table) Directory(ctx context.Context) (*Directory, error) {
	return t.db.directory(ctx, t.root, t.Rowids)
}

// Read calls yield for the rows from first to last of the directory d of t, counted
// from 1, until yield returns false. The rows must exist.
func (t *Table) Read(ctx context.Context, d *Directory, first, last int, yield func(Row) bool) error {
	return t.db.read(ctx, d, t.Rowids, first, last, yield)
}

// Values returns the values of a row by column. It returns Null for a computed column
// that is not stored, and for a column that was added later with a default that is not
// constant. Columns after the last that a shorter row has are left out: rows may store a
// few values for thousands of columns. The result uses the memory of into, which may be
// nil.
func (t *Table) Values(r Row, into []Value) ([]Value, error) {
	rest, err := newFields(r.payload)
	if err != nil {
		return nil, err
	}
	values := slices.Grow(into[:0], len(t.Columns))[:len(t.Columns)]
	clear(values)
	used := 0
	for i, column := range t.stored {
		c := &t.Columns[column]
		v, ok, err := rest.next()
		switch {
		case err != nil:
			return nil, err
		case !ok && i >= t.tail:
			return values[:used], nil
		case c.rowid:
			v = intValue(r.Rowid)
		case !ok:
			v = c.undefined
		}
		if v.Kind == Integer && c.real {
			v.Kind, v.Float, v.Int = Real, float64(v.Int), 0
		}
		values[column], used = v, max(used, column+1)
	}
	return values, rest.skip()
}

// Computed reports whether t has columns that are not stored.
func (t *Table) Computed() bool {
	for _, c := range t.Columns {
		if c.virtual {
			return true
		}
	}
	return false
}
