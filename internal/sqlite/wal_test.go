package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/sqlitetest"
)

func merge(t testing.TB, db, log []byte) ([]byte, error) {
	t.Helper()
	m, err := sqlite.Merge(t.Context(), bytes.NewReader(db), int64(len(db)), bytes.NewReader(log), int64(len(log)))
	if err != nil || m == nil {
		return db, err
	}
	return io.ReadAll(io.NewSectionReader(m, 0, m.Size()))
}

// TestMerge checks that what is committed is read, and nothing after it.
func TestMerge(t *testing.T) {
	one := sqlitetest.Small(t)
	two := bytes.Replace(one, []byte("apple"), []byte("grape"), 1)
	three := append(bytes.Replace(two, []byte("pear"), []byte("plum"), 1), make([]byte, 1024)...)
	log := func(open bool, versions ...[]byte) []byte { return sqlitetest.Log(512, open, versions...) }
	both := log(false, one, two, three)
	changed := func(data []byte, at int, value byte) []byte {
		data = slices.Clone(data)
		data[at] ^= value
		return data
	}
	second := len(log(false, one, two)) // where the second transaction begins
	for name, test := range map[string]struct{ log, want []byte }{
		"one transaction":      {log(false, one, two), two},
		"two transactions":     {both, three},
		"it becomes shorter":   {log(false, three, two, one[:len(one)-512]), one[:len(one)-512]},
		"not committed":        {log(true, one, two), one},
		"second not committed": {log(true, one, two, three), two},
		"cut off in a frame":   {both[:len(both)-1], two},
		"cut off at a frame":   {both[:second], two},
		"only a header":        {both[:32], one},
		"empty":                {nil, one},
		"another checksum":     {changed(both, len(both)-1, 1), two},
		"frames of before":     {changed(both, second+8, 1), two},
		"another first frame":  {changed(both, 60, 1), one},
		"another header":       {changed(both, 16, 1), one},
		"not a log":            {changed(both, 0, 1), one},
		"another format":       {changed(both, 7, 1), one},
	} {
		db := one
		if name == "it becomes shorter" {
			db = three
		}
		got, err := merge(t, db, test.log)
		if err != nil || !bytes.Equal(got, test.want) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(test.want))
		}
	}
	if got, err := merge(t, []byte("no database"), both); err != nil || string(got) != "no database" {
		t.Errorf("of no database: %q, %v", got, err)
	}
}

func TestMergeDamaged(t *testing.T) {
	one := sqlitetest.Small(t)
	large := slices.Clone(one)
	binary.BigEndian.PutUint16(large[16:], 1024)
	if _, err := merge(t, large, sqlitetest.Log(512, false, one, append(one, one...))); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("pages of two sizes: %v", err)
	}
	huge := sqlitetest.Log(512, false, make([]byte, 1<<20), append(make([]byte, 1<<20), one[:512]...))
	if _, err := merge(t, one, huge); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("more pages than there can be: %v", err)
	}
}

// TestMergeAsSQLiteReads compares with what a checkpoint by SQLite gives.
func TestMergeAsSQLiteReads(t *testing.T) {
	sharedtest.NotShort(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 makes the databases")
	}
	dir := t.TempDir()
	program := `
import shutil, sqlite3, sys
db = sqlite3.connect("live.db")
for pragma in ("page_size=1024", "journal_mode=wal", "wal_autocheckpoint=0"):
    db.execute("pragma " + pragma)
db.execute("create table t(v)")
for step in range(3):
    db.executemany("insert into t values(?)", [("value %d of %d" % (i, step),) for i in range(400)])
    db.commit()
    if step == 0:
        db.execute("pragma wal_checkpoint(restart)")
db.execute("delete from t where rowid % 2")
db.commit()
for name in ("live.db", "live.db-wal"):
    shutil.copy(name, "copy of " + name)
db.execute("pragma wal_checkpoint(truncate)")
`
	cmd := exec.Command("python3", "-c", program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before, want := file("copy of live.db"), file("live.db")
	got, err := merge(t, before, file("copy of live.db-wal"))
	if err != nil || !bytes.Equal(got, want) || bytes.Equal(before, want) {
		t.Errorf("%d bytes, %v; want the %d bytes after a checkpoint", len(got), err, len(want))
	}
}

func FuzzMerge(f *testing.F) {
	one := sqlitetest.Small(f)
	two := bytes.Replace(one, []byte("apple"), []byte("grape"), 1)
	f.Add(sqlitetest.Log(512, false, one, two))
	f.Add(sqlitetest.Log(512, true, one, two))
	f.Fuzz(func(t *testing.T, log []byte) {
		got, err := merge(t, one, log)
		if err == nil && len(got) > len(one)+len(log)+512 {
			t.Errorf("%d bytes of a log of %d", len(got), len(log))
		}
	})
}
