package transport

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const (
	parentA = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	parentB = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
)

func TestTraceparentOfACall(t *testing.T) {
	for _, c := range []struct{ name, params, want string }{
		{"of _meta", `{"_meta":{"traceparent":"` + parentA + `"}}`, parentA},
		{"of the header", `{}`, parentB},
		{"of the header, as _meta has none", `{"_meta":{"progressToken":1}}`, parentB},
		{"of the header, as that of _meta is none", `{"_meta":{"traceparent":"x"}}`, parentB},
		{"of the header, as that of _meta is no text", `{"_meta":{"traceparent":{"a":[1]}}}`, parentB},
		{"of the header, as _meta is no object", `{"_meta":[1]}`, parentB},
		{"of the header, as there are no parameters", ``, parentB},
	} {
		header := http.Header{"Traceparent": {parentB}}
		if got := newCall(noTools{}, "tools/call", json.RawMessage(c.params), header).Traceparent; got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	for _, header := range []http.Header{nil, {"Traceparent": {parentA, parentB}}, {"Traceparent": {"\x1b[31m"}}} {
		if got := newCall(noTools{}, "ping", nil, header).Traceparent; got != "" {
			t.Errorf("%v: %q", header, got)
		}
	}
}

func TestValidTraceparent(t *testing.T) {
	for text, want := range map[string]bool{
		parentA:                            true,
		"cc" + parentA[2:] + "-what-comes": true,
		"cc" + parentA[2:]:                 true,
		parentA + "-what-comes":            false,
		"cc" + parentA[2:] + "x":           false,
		"cc" + parentA[2:] + "-\n":         false,
		"ff" + parentA[2:]:                 false,
		strings.ToUpper(parentA):           false,
		parentA[:54]:                       false,
		"":                                 false,
		"00-" + strings.Repeat("0", 32) + parentA[35:]:      false,
		parentA[:36] + strings.Repeat("0", 16) + "-01":      false,
		"cc" + parentA[2:] + "-" + strings.Repeat("x", 300): false,
	} {
		if validTraceparent(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

// FuzzTraceparent holds what is accepted to the grammar.
func FuzzTraceparent(f *testing.F) {
	grammar := regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[!-~]*)?$`)
	for _, seed := range []string{parentA, parentB, parentA + "-x", "", "ff" + parentA[2:], parentA + "\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts := grammar.FindStringSubmatch(text)
		want := parts != nil && len(text) <= 128 && parts[1] != "ff" && strings.Trim(parts[2], "0") != "" && strings.Trim(parts[3], "0") != "" &&
			(parts[1] != "00" || parts[4] == "")
		if got := validTraceparent(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	})
}
