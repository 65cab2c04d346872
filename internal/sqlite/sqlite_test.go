package sqlite_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/sqlitetest"
)

func open(t testing.TB, data []byte) *sqlite.Database {
	t.Helper()
	db, err := sqlite.Open(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// show writes values as Python's repr does the same ones.
func show(db *sqlite.Database, v sqlite.Value) string {
	switch v.Kind {
	case sqlite.Integer:
		return fmt.Sprintf("i%d", v.Int)
	case sqlite.Real:
		return fmt.Sprintf("r%016x", math.Float64bits(v.Float))
	case sqlite.Text:
		return "t" + db.DecodeText(v.Bytes)
	case sqlite.Blob:
		return fmt.Sprintf("b%x", v.Bytes)
	}
	return "n"
}

func rowsOf(t testing.TB, db *sqlite.Database, table *sqlite.Table) (all [][]string) {
	t.Helper()
	dir, err := table.Directory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if dir.Rows() == 0 {
		return nil
	}
	err = table.Read(t.Context(), dir, 1, dir.Rows(), func(r sqlite.Row) bool {
		values, err := table.Values(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = show(db, v)
		}
		all = append(all, row)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read is what Python's sqlite3 reads in a database: the columns and the rows of
// each table, in the order of their keys.
const read = `
import sqlite3, struct, sys, json
def show(v):
    if v is None: return "n"
    if isinstance(v, int): return "i%d" % v
    if isinstance(v, float): return "r" + struct.pack(">d", v).hex()
    if isinstance(v, bytes): return "b" + v.hex()
    return "t" + v
def tables(path):
    db = sqlite3.connect("file:" + path + "?mode=ro&immutable=1", uri=True)
    out = {"check": [r[0] for r in db.execute("pragma integrity_check")], "tables": {}}
    for (name, sql) in db.execute("select name, sql from sqlite_schema where type='table' and rootpage>0 and name not like 'sqlite\\_%' escape '\\'").fetchall():
        q = '"' + name.replace('"', '""') + '"'
        info = [r for r in db.execute("pragma table_xinfo(%s)" % q)]
        order = "" if "without rowid" in sql.lower() else " order by rowid"
        rows = db.execute("select * from %s%s" % (q, order)).fetchall()
        out["tables"][name] = {"columns": [r[1] for r in info], "rows": [[show(v) for v in r] for r in rows]}
    return out
print(json.dumps([tables(p) for p in sys.argv[1:]]))
`

type oracle struct {
	Check  []string
	Tables map[string]struct {
		Columns []string
		Rows    [][]string
	}
}

// askPython returns what Python reads in databases.
func askPython(t *testing.T, all ...[]byte) []oracle {
	t.Helper()
	args := []string{"-c", read}
	dir := t.TempDir()
	for i, data := range all {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command("python3", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []oracle
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// pragmas make databases of other forms.
var pragmas = []string{"page_size=512", "page_size=65536", "encoding='UTF-16le'", "encoding='UTF-16be'", "auto_vacuum=full", "journal_mode=wal"}

// some returns the first of several, or all of them without -short.
func some(scripts []string) []string {
	if testing.Short() {
		return scripts[:1]
	}
	return scripts
}

func scripts() []string {
	var all []string
	for _, pragma := range pragmas {
		all = append(all, "pragma "+pragma+";"+sqlitetest.Script)
	}
	return all
}

func TestAsSQLiteReads(t *testing.T) {
	sharedtest.NotShort(t)
	made := sqlitetest.Make(t, some(scripts())...)
	for i, want := range askPython(t, made...) {
		db := open(t, made[i])
		if len(db.Tables) != len(want.Tables) || len(db.Tables) < 7 {
			t.Errorf("%s: %d tables, want %d", pragmas[i], len(db.Tables), len(want.Tables))
		}
		for _, table := range db.Tables {
			var names []string
			for _, c := range table.Columns {
				names = append(names, c.Name)
			}
			got, w := rowsOf(t, db, table), want.Tables[table.Name]
			if fmt.Sprintf("%q", names) != fmt.Sprintf("%q", w.Columns) {
				t.Errorf("%s: columns %q, want %q", table.Name, names, w.Columns)
			}
			if !table.Computed() && fmt.Sprintf("%q", got) != fmt.Sprintf("%q", w.Rows) {
				t.Errorf("%s: %s: %.2000q, want %.2000q", pragmas[i], table.Name, got, w.Rows)
			}
		}
	}
}

// TestWritten has SQLite read what is written of each table.
func TestWritten(t *testing.T) {
	sharedtest.NotShort(t)
	var names []string
	var wants [][][]string
	var written [][]byte
	for i, data := range sqlitetest.Make(t, some(scripts()[:3])...) {
		db := open(t, data)
		for _, table := range db.Tables {
			all := rowsOf(t, db, table)
			for _, cut := range []struct {
				first, last int
				columns     []int
			}{{1, len(all), nil}, {2, 3, nil}, {1, len(all), []int{0}}, {1, 0, nil}} {
				if cut.last > len(all) {
					continue
				}
				var want [][]string
				for _, row := range all[cut.first-1 : cut.last] {
					if cut.columns != nil {
						row = row[:1]
					}
					want = append(want, row)
				}
				names, wants = append(names, pragmas[i]+" "+table.Name), append(wants, want)
				written = append(written, write(t, table, cut.first, cut.last, cut.columns))
			}
		}
	}
	for i, got := range askPython(t, written...) {
		if strings.Join(got.Check, " ") != "ok" || len(got.Tables) != 1 {
			t.Errorf("%s: %q", names[i], got.Check)
		}
		for _, one := range got.Tables {
			if fmt.Sprintf("%q", one.Rows) != fmt.Sprintf("%q", wants[i]) {
				t.Errorf("%s: %.2000q, want %.2000q", names[i], one.Rows, wants[i])
			}
		}
	}
}

func write(t *testing.T, table *sqlite.Table, first, last int, columns []int) []byte {
	t.Helper()
	w := table.NewWriter(columns, 1<<30)
	dir, err := table.Directory(t.Context())
	if err == nil && last > 0 {
		err = table.Read(t.Context(), dir, first, last, func(r sqlite.Row) bool {
			if err := w.Add(r); err != nil {
				t.Fatal(err)
			}
			return true
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.Finish()
}

func TestDamaged(t *testing.T) {
	data := sqlitetest.Small(t)
	for name, change := range map[string]func([]byte) []byte{
		"cut":       func(b []byte) []byte { return b[:len(b)/2] },
		"header":    func(b []byte) []byte { return b[:50] },
		"page size": func(b []byte) []byte { b[16] = 3; return b },
		"encoding":  func(b []byte) []byte { b[59] = 9; return b },
		"cycle": func(b []byte) []byte { // the first page is its own child
			copy(b[100:], []byte{tableInterior, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
			return b
		},
	} {
		b := change(bytes.Clone(data))
		if _, err := sqlite.Open(t.Context(), bytes.NewReader(b), int64(len(b))); !errors.Is(err, sqlite.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const tableInterior = 0x05

func FuzzOpen(f *testing.F) {
	f.Add(sqlitetest.Small(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		db, err := sqlite.Open(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, table := range db.Tables[:min(len(db.Tables), 20)] {
			dir, err := table.Directory(t.Context())
			if err != nil {
				continue
			}
			w := table.NewWriter(nil, 1<<24)
			table.Read(t.Context(), dir, 1, min(dir.Rows(), 1000), func(r sqlite.Row) bool {
				table.Values(r, nil)
				return w.Add(r) == nil
			})
			w.Finish()
		}
	})
}
