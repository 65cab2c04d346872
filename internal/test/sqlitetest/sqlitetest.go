// Package sqlitetest makes SQLite databases for tests. Some are made by the
// sqlite3 module of Python, to compare with another implementation; tests that
// need it are skipped without Python.
package sqlitetest

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// longColumns make a statement of the schema too long for a page of 512 bytes.
var longColumns = columns(16)

func columns(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(", a_column_of_a_long_name_" + string(rune('a'+i)) + " int")
	}
	return b.String()
}

// Script makes tables of all kinds: with rows that overflow, without rowids,
// with columns added later, with computed columns, and with odd names.
var Script = `
create table plain(id integer primary key, name text, price real, note);
with recursive n(i) as (select 1 union all select i+1 from n where i<700)
insert into plain select i*3, 'name ' || i, i/2.0, case i%5 when 0 then null when 1 then zeroblob(i) when 2 then i*1000000007 when 3 then -i else 'é𝄞' end from n;
insert into plain values(-5, 'first', 1, hex(zeroblob(9000)));
create table "odd ""name"" [x]"("a, b" text default 'x,y', [c d] int not null, 'e' varchar(10), unique("c d"), check([c d] > 0));
insert into "odd ""name"" [x]" values('1', 1, 'eins'), ('2', 2, null);
create table pairs(b text, a int, c blob, primary key(a desc, b)) without rowid;
with recursive n(i) as (select 1 union all select i+1 from n where i<900) insert into pairs select 'b' || i, i%30, zeroblob(i%400) from n;
create table later(x text); insert into later values('one'),('two'),('three');
alter table later add column n int default '7'; alter table later add column s text default -1.5; alter table later add column r real default 2;
insert into later values('four', 1, 2, 3);
create table computed(a int, b int generated always as (a*2) virtual, c int as (a+1) stored, d text);
insert into computed(a, d) values(1, 'x'), (2, 'y'), (3, 'z');
create table empty(a, b); create table counted(id integer primary key autoincrement, v text unique);
insert into counted(v) values('p'), ('q'), ('r');
create table extremes(v); insert into extremes values(9223372036854775807),(-9223372036854775808),(1e300),(0.1),(127),(-129),(32768),(8388608),(-2147483649),(140737488355328),(0),(1),(''),(x'');
create view seen as select * from plain; create index by_name on plain(name);
create table /* a ) comment */ remarks ( -- one (
  id integer /* PRIMARY KEY */, t text collate nocase default ('a''b'), constraint k primary key (id));
insert into remarks values(4, 'x'), (2, 'y'), (9, 'z');
create table t512(a` + longColumns + `); insert into t512(a) values (1),(2),(3);
`

// Make returns the databases that Python makes from scripts, one each. It skips
// the test without Python.
func Make(t testing.TB, scripts ...string) [][]byte {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 makes the databases")
	}
	dir := t.TempDir()
	const program = "import sqlite3, sys\nfor i, script in enumerate(sys.argv[2:]):\n" +
		"    db = sqlite3.connect(sys.argv[1] + '/%d' % i)\n    db.executescript(script)\n    db.commit()\n    db.execute('pragma wal_checkpoint(truncate)')\n    db.close()\n"
	if out, err := exec.Command("python3", append([]string{"-c", program, dir}, scripts...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var made [][]byte
	for i := range scripts {
		data, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, data)
	}
	return made
}

// Small returns a database with pages of 512 bytes. Its table orders has the
// columns id, name and price, and four rows: the third has a line end and no
// price, and the fourth overflows. Its table tags has no rowids and the rows a
// 1 and b 2. It also has a view.
func Small(t testing.TB) []byte {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(small)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const small = "eNrtk89LAlEQx2f2R5tGiNCySBBz1JAQOktZeAg8ZEkdOsRTR11y3eXtK/ModOnv6G/qHt07CtGp/RFIXrpEBPqBmffeF+Y7D4Y5bzZcxdTzpS" +
	"cU7YMGiHBIBABmFAbM0RfeCD9jwl4HN+NizAM+4Wl0/G+q+prtOOvXdy6POwMWQZKOz+q1Vp0uTuqXlAgkQgp5yB1Fu9STvke+7LIMm5rl2DZO" +
	"TSXaQ1aiH8ZhfNW3akeNOsVKMUqk+F5RIF1PyAnd8KRMI3JHqkRjVw38W0XSH7vdK7ScQgGn+cQybZNm7ZttqhXdbuzBfZYL1sLjpGM51jtMks" +
	"WwFM/GQAZ8w1d8ji4rfp8HLprwWLUqf0C8axs7BmxDz+1nu3KS2TLAxoCF1PJZAxxLBMGQD97n36usWDoOXtLZZ6PQcAY4w4/Voi4Jhp7LCFPP" +
	"YVv7BIdH2Sw="
