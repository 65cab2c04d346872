package workspace

import (
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/citekit/citekit"
)

func TestFileName(t *testing.T) {
	long := strings.Repeat("é", 100)
	tests := map[string]string{
		"poem":                            "poem.json",
		"a.b_c-d.0":                       "a.b_c-d.0.json",
		"r1.json":                         "r1.json.json",
		"a.":                              "a..json",
		"index":                           "index.json",
		".hidden":                         "%2Ehidden.json",
		"-rf":                             "%2Drf.json",
		"...":                             "%2E...json",
		"a b":                             "a%20b.json",
		"a%2fb":                           "a%252fb.json",
		"a~b":                             "a%7Eb.json",
		"a:b":                             "a%3Ab.json",
		"*":                               "%2A.json",
		"café":                            "caf%C3%A9.json",
		"cafe\u0301":                      "cafe%CC%81.json",
		"Lecture_01":                      "Lecture_01~" + digest("Lecture_01", 8) + ".json",
		"LECTURE_01":                      "LECTURE_01~" + digest("LECTURE_01", 8) + ".json",
		"Élan":                            "%C3%89lan.json",
		"con":                             "%63on.json",
		"con.txt":                         "%63on.txt.json",
		"CON":                             "%43ON~" + digest("CON", 8) + ".json",
		"lpt1.a.b":                        "%6Cpt1.a.b.json",
		"console":                         "console.json",
		"com10":                           "com10.json",
		strings.Repeat("x", 180):          strings.Repeat("x", 180) + ".json",
		strings.Repeat("x", 181):          strings.Repeat("x", 147) + "~" + digest(strings.Repeat("x", 181), 32) + ".json",
		long:                              strings.Repeat("%C3%A9", 24) + "%C3~" + digest(long, 32) + ".json",
		"x~0123456789abcdef":              "x%7E0123456789abcdef.json",
		"Lecture_01~abcdef01":             "Lecture_01%7Eabcdef01~" + digest("Lecture_01~abcdef01", 8) + ".json",
		strings.Repeat("\U0001f4a3", 128): strings.Repeat("%F0%9F%92%A3", 12) + "%F0~" + digest(strings.Repeat("\U0001f4a3", 128), 32) + ".json",
	}
	for id, want := range tests {
		if got := fileName(id); got != want {
			t.Errorf("fileName(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestParseFileName(t *testing.T) {
	tests := []struct {
		name, id string
		form     nameForm
	}{
		{"poem.json", "poem", canonical},
		{"Lecture_01.json", "Lecture_01", older},
		{"Lecture_01~00000000.json", "Lecture_01~00000000", older},
		{fileName("Lecture_01"), "Lecture_01", canonical},
		{"café.json", "café", older},
		{"caf%C3%A9.json", "café", canonical},
		{"caf%c3%a9.json", "caf%c3%a9", older},
		{"a%2Fb.json", "a%2Fb", older}, // "a/b" is no id
		{"a%.json", "a%", older},
		{"a%2.json", "a%2", older},
		{"con.json", "con", older},
		{"-rf.json", "-rf", older},
		{strings.Repeat("x", 200) + ".json", strings.Repeat("x", 200), older},
		{"x~0123456789abcdef0123456789abcdef.json", "x~0123456789abcdef0123456789abcdef", cut},
		{".hidden.json", "", noMap},
		{".json", "", noMap},
		{"poem.JSON", "", noMap},
		{"poem.txt", "", noMap},
		{"poem", "", noMap},
		{"a\nb.json", "", noMap},
		{"a\xffb.json", "", noMap},
		{"...json", "", noMap},
	}
	for _, test := range tests {
		if id, form := parseFileName(test.name); id != test.id || form != test.form {
			t.Errorf("parseFileName(%q) = %q, %v; want %q, %v", test.name, id, form, test.id, test.form)
		}
	}
}

// hostileIDs are ids that collide where names are compared carelessly.
var hostileIDs = []string{
	".", "..", "../x", "a/b", `a\b`, "a_b", "a\x00b", "Intro", "intro", "INTRO", "\u0130ntro", "stra\u00dfe", "strasse",
	"caf\u00e9", "cafe\u0301", "\ufb01le", "file", "n\u200b1", "n1", "\u202en1", "-rf", "--help", "CON", "con", "nul", "Con.a", "con.a",
	strings.Repeat("x", 300), strings.Repeat("x", 301), strings.Repeat("x", 180), strings.Repeat("X", 180), strings.Repeat("x", 299) + "X",
	" n1", "n1 ", "n1.", "n\n1", "\x1b[2J", "#1", "a?b", "a%2fb", "a%2Fb", "a:b", "a|b", "*", "\U0001f4a3", "index.json", ".tmp", "n1.json",
	"K", "k", "\u212a", "\u017f", "s", "S", "../../canary/evil", "/tmp/evil", "R1", "r1", "r1.json", ".hidden", "-r", "%43ON", "%63on",
	"Lecture", "lecture", "Lecture~", "LPT9", "lpt9", "com\u00b9", "COM1.x", "com1.x", "\u1e9e", "\u00df", "ss", "SS",
}

// folded returns the key under which careless file systems would file a name.
func folded(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFKC.String(name)))
}

func TestFileNamesAreDistinct(t *testing.T) {
	names := make(map[string]string)
	for _, id := range hostileIDs {
		name := fileName(id)
		if other, taken := names[folded(name)]; taken {
			t.Errorf("%q and %q are both stored as %q", id, other, name)
		}
		names[folded(name)] = id
		checkFileName(t, id, name)
	}
}

// checkFileName checks what holds for the name of every id.
func checkFileName(t *testing.T, id, name string) {
	t.Helper()
	if len(name) > maxStem+len(mapExt) || name[0] == '.' || name[0] == '-' || isDeviceName(name) {
		t.Errorf("fileName(%q) = %q is not safe everywhere", id, name)
	}
	for i := range len(name) {
		if !isSafe(name[i]) && name[i] != '%' && name[i] != '~' {
			t.Errorf("fileName(%q) = %q has a byte %q", id, name, name[i])
		}
	}
	got, form := parseFileName(name)
	if citekit.CheckResourceID(id) == nil && form != cut && (got != id || form != canonical) {
		t.Errorf("parseFileName(%q) = %q, %v; want %q", name, got, form, id)
	}
}

func FuzzFileName(f *testing.F) {
	for i, id := range hostileIDs {
		f.Add(id, hostileIDs[(i+1)%len(hostileIDs)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == "" || b == "" {
			return
		}
		nameA, nameB := fileName(a), fileName(b)
		checkFileName(t, a, nameA)
		if a != b && folded(nameA) == folded(nameB) {
			t.Errorf("%q and %q are stored as %q and %q", a, b, nameA, nameB)
		}
		if id, form := parseFileName(a); form == canonical && fileName(id) != a {
			t.Errorf("%q is the name of %q, which is stored as %q", a, id, fileName(id))
		} else if form == older && fileName(id) == a {
			t.Errorf("%q is the canonical name of %q", a, id)
		}
	})
}
