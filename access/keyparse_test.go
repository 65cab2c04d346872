package access_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/citekit/citekit/access"
)

const goodFile = `{
  "version": 1,
  "keys": [
    {
      "id": "abcdefghij",
      "label": "Ada",
      "workspaces": [
        "papers"
      ],
      "tools": [
        "getNode"
      ],
      "read_only": true,
      "created": "2026-01-31T00:00:00Z",
      "expires": "2027-01-31T00:00:00Z",
      "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    },
    {
      "id": "klmnopqrst",
      "workspaces": [
        "papers",
        "notes"
      ],
      "created": "2026-01-31T00:00:00Z",
      "revoked": "2026-02-28T00:00:00Z"
    }
  ]
}
`

func TestParse(t *testing.T) {
	again, err := access.Reencode([]byte(goodFile))
	if err != nil || string(again) != goodFile {
		t.Errorf("%v\n%s", err, again)
	}
	if again, err = access.Reencode([]byte("\ufeff" + goodFile)); err != nil || string(again) != goodFile {
		t.Errorf("with a byte order mark: %v\n%s", err, again)
	}
}

func TestMalformed(t *testing.T) {
	const secondKey = `"id": "klmnopqrst"`
	for _, test := range []struct{ old, new, want string }{
		{goodFile, "", "empty; a JSON object was expected"},
		{goodFile, "[]", "line 1: it is an array, not an object"},
		{`"version": 1`, `"version": 2`, "line 2: version is 2; this program reads version 1"},
		{`"version": 1,`, ``, `line 1: version is missing`},
		{`"version": 1`, `"vresion": 1`, "line 2: vresion is not a field of a keys file"},
		{`"label": "Ada"`, `"lable": "Ada"`, "line 6: keys[0].lable is not a field of a key; the fields are id"},
		{`"label": "Ada"`, `"label": 7`, "line 6: keys[0].label is a number, not a string"},
		{`"label": "Ada"`, `"label": "A\nda"`, `keys[0] is not a key: label is "A\nda"`},
		{`"label": "Ada",`, `"label": "Ada", "label": "Bob",`, "line 6: keys[0].label is given twice"},
		{secondKey, `"id": "abcdefghij"`, `line 19: keys[1].id is "abcdefghij", which another key has`},
		{secondKey, `"id": "short"`, "line 19: keys[1].id is \"short\"; ids are 10 letters"},
		{secondKey + ",", ``, "line 18: keys[1] is not a key: id is missing"},
		{`"revoked": "2026-02-28T00:00:00Z"`, `"expires": "2026-02-28T00:00:00Z"`, "line 18: keys[1] is not a key: sha256 is missing"},
		{`"2027-01-31T00:00:00Z"`, `"soon"`, `line 15: keys[0].expires is "soon", not a time such as`},
		{`"2027-01-31T00:00:00Z"`, `"0000-01-01T00:00:00+23:59"`, "line 15: keys[0].expires is"},
		{`"2027-01-31T00:00:00Z"`, `null`, "line 15: keys[0].expires is null; leave it out"},
		{`"9f86`, `"9f8`, "line 16: keys[0].sha256 is not the SHA-256"},
		{`"9f86`, `"xx86`, "line 16: keys[0].sha256 is not the SHA-256"},
		{`true`, `"yes"`, "line 13: keys[0].read_only is a string, not true or false"},
		{`"getNode"`, ``, "keys[0] is not a key: tools is empty; leave it out to let the key use all"},
		{`"getNode"`, `null`, "line 11: keys[0].tools[0] is null, not a string"},
		{`"notes"`, `"papers"`, "workspaces[1] is \"papers\", which is given twice"},
		{`"read_only": true,`, `"read_only": true`, "not JSON: line 14, column"},
		{`"Ada"`, "\"\xff\"", "not UTF-8"},
		{`"Ada"`, `"` + strings.Repeat("a", 1<<20) + `"`, "labels are one line of up to 200 bytes"},
		{`"Ada"`, strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "nested too deeply"},
	} {
		_, err := access.Reencode([]byte(strings.Replace(goodFile, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 600 {
			t.Errorf("%.60q: error %v; want %q", test.new, err, test.want)
		}
	}
}

// TestMalformedNamesFile checks that the error of a file says which it is.
func TestMalformedNamesFile(t *testing.T) {
	path := t.TempDir() + "/keys.json"
	if err := os.WriteFile(path, []byte(strings.Replace(goodFile, "true", "1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openAt(t, path, nil)
	want := path + ": line 13: keys[0].read_only is a number, not true or false"
	if err := f.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v; want %q", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(goodFile))
	f.Add([]byte(`{"version": 1, "keys": []}`))
	f.Add([]byte(`{"version": 1, "keys": [{"id": null}]}`))
	f.Add([]byte(`{"version": 1, "keys": [{"created": "9999-12-31T23:59:59-23:59"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := access.Reencode(data)
		if err != nil {
			if len(err.Error()) > 600 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if again, err := access.Reencode(once); err != nil || !bytes.Equal(once, again) {
			t.Fatalf("%v\n%s\n%s", err, once, again)
		}
	})
}

func FuzzParseUses(f *testing.F) {
	f.Add([]byte(`{"version": 1, "used": {"abcdefghij": "2026-01-31T00:00:00Z"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for id, at := range access.ParseUses(data) {
			if len(id) != 10 || at.Year() < 1970 || at.Year() > 9999 {
				t.Fatalf("%q: %v", id, at)
			}
		}
	})
}

func FuzzToken(f *testing.F) {
	f.Add("citekit_abcdefghij_" + strings.Repeat("0", 49))
	f.Fuzz(func(t *testing.T, token string) {
		if id, ok := access.IDOf(token); ok && (len(token) != 68 || !strings.HasPrefix(token, "citekit_"+id+"_")) {
			t.Fatalf("%q has the id %q", token, id)
		}
	})
}
