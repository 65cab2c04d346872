package mapadapter_test

import (
	"testing"

	"github.com/citekit/citekit/mapadapter"
)

// TestIDs checks that ids made from names are slugs, as those of ingest, and
// that those that the input gives stay.
func TestIDs(t *testing.T) {
	for _, test := range []struct{ name, data, want string }{
		{"My Annual (2020).json", `[{"id":"a"}]`, "my-annual-2020"},
		{"É_1.2.json", `[{"id":"a"}]`, "é_1.2"},
		{"().json", `[{"id":"a"}]`, "generic"},
		{"x.json", `{"resource_id":"Old ID","nodes":[{"id":"a"}]}`, "Old-ID"},
		{"x.json", `{"resource_id":"می\u200cخواهم","nodes":[{"id":"a"}]}`, "میخواهم"}, // a joiner, as titles keep it
	} {
		maps, err := mapadapter.Generic{}.Adapt(t.Context(), input(test.name, test.data), nil)
		if err != nil || len(maps) != 1 || maps[0].ResourceID != test.want {
			t.Errorf("%s: %v, %v; want %q", test.name, maps, err, test.want)
		}
	}
}
