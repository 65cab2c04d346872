package citekit_test

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

func TestParseAddress(t *testing.T) {
	tests := []struct {
		in   string
		want citekit.Address
		out  string // canonical form, if not in
	}{
		{in: "doc://book", want: citekit.Address{Resource: "book", Location: citekit.Location{Modality: citekit.Document}}},
		{in: "doc://book#pages=12-15", want: document("book", citekit.Range{First: 12, Last: 15})},
		{in: "doc://book#pages=12", want: document("book", citekit.Range{First: 12, Last: 12})},
		{in: "doc://book#pages=12-12", want: document("book", citekit.Range{First: 12, Last: 12}), out: "doc://book#pages=12"},
		{in: "doc://book#pages=9,3-5", want: document("book", citekit.Range{First: 3, Last: 5}, citekit.Range{First: 9, Last: 9}), out: "doc://book#pages=3-5,9"},
		{in: "doc://book#pages=1,2,3,2", want: document("book", citekit.Range{First: 1, Last: 3}), out: "doc://book#pages=1-3"},
		{in: "doc://book#pages=0007", want: document("book", citekit.Range{First: 7, Last: 7}), out: "doc://book#pages=7"},
		{in: "doc://book#pages=1-2000000000", want: document("book", citekit.Range{First: 1, Last: 2000000000})},
		{
			in: "doc://book#bbox=0,0,1,0.5&pages=3",
			want: citekit.Address{Resource: "book", Location: citekit.Location{
				Modality: citekit.Document, Pages: []citekit.Range{{First: 3, Last: 3}}, Box: citekit.Box{X2: 1, Y2: 0.5},
			}},
			out: "doc://book#pages=3&bbox=0,0,1,0.5",
		},
		{
			in:   "doc://book#v=00C0FFEE&pages=1",
			want: citekit.Address{Resource: "book", Location: document("book", citekit.Range{First: 1, Last: 1}).Location, Version: "00c0ffee"},
			out:  "doc://book#pages=1&v=00c0ffee",
		},
		{in: "video://lecture#t=145.5-200", want: timed(citekit.Video, "lecture", 145.5, 200)},
		{in: "video://lecture#t=145.50-", want: timed(citekit.Video, "lecture", 145.5, 0), out: "video://lecture#t=145.5-"},
		{in: "video://lecture#t=0-", want: timed(citekit.Video, "lecture", 0, 0), out: "video://lecture"},
		{in: "audio://talk#t=01:02:03.1-1:02:04", want: timed(citekit.Audio, "talk", 3723.1, 3724), out: "audio://talk#t=3723.1-3724"},
		{in: "audio://talk#t=90:00-5401", want: timed(citekit.Audio, "talk", 5400, 5401), out: "audio://talk#t=5400-5401"},
		{in: "image://chart#bbox=0.1,0.1,0.5,0.50", want: boxed("chart", 0.1, 0.1, 0.5, 0.5), out: "image://chart#bbox=0.1,0.1,0.5,0.5"},
		{in: "text://code#lines=10-25", want: lines("code", 10, 25)},
		{in: "text://code#lines=5", want: lines("code", 5, 5), out: "text://code#lines=5-5"},
		{in: "text://a%20b%2Ec#lines=5-5", want: lines("a b.c", 5, 5), out: "text://a%20b.c#lines=5-5"},
		{in: "text://größe#lines=5-5", want: lines("größe", 5, 5), out: "text://gr%C3%B6%C3%9Fe#lines=5-5"},
		{in: "virtual://db", want: citekit.Address{Resource: "db", Location: citekit.Location{Modality: citekit.Virtual}}},
		{
			in: "virtual://db/users?id=7#row",
			want: citekit.Address{Resource: "db", Location: citekit.Location{
				Modality: citekit.Virtual, VirtualAddress: "virtual://db/users?id=7#row",
			}},
		},
	}
	for _, test := range tests {
		got, err := citekit.ParseAddress(test.in)
		if err != nil {
			t.Errorf("ParseAddress(%q): %v", test.in, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("ParseAddress(%q) (-want +got):\n%s", test.in, diff)
		}
		want := test.in
		if test.out != "" {
			want = test.out
		}
		if got.String() != want {
			t.Errorf("ParseAddress(%q).String() = %q, want %q", test.in, got, want)
		}
	}
}

func document(id string, pages ...citekit.Range) citekit.Address {
	return citekit.Address{Resource: id, Location: citekit.Location{Modality: citekit.Document, Pages: pages}}
}

func timed(m citekit.Modality, id string, start, end float64) citekit.Address {
	return citekit.Address{Resource: id, Location: citekit.Location{Modality: m, Time: citekit.Span{Start: start, End: end}}}
}

func boxed(id string, x1, y1, x2, y2 float64) citekit.Address {
	return citekit.Address{Resource: id, Location: citekit.Location{Modality: citekit.Image, Box: citekit.Box{X1: x1, Y1: y1, X2: x2, Y2: y2}}}
}

func lines(id string, first, last int) citekit.Address {
	return citekit.Address{Resource: id, Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}}
}

func TestParseAddressErrors(t *testing.T) {
	for _, in := range []string{
		"", "book", "http://book", "DOC://book", "document://book", "Midi://book", "a-b://book", "file:///etc/passwd", "midi://", "midi://a#virtual_address=x", "doc:book", "doc://", "doc://#pages=1",
		"doc://a/b", `doc://a\b`, "doc://..", "doc://%2e%2e", "doc://a%2fb", "doc://a%zz", "doc://a%0ab", "doc://a\x00b", "doc://\xff",
		"doc://b#", "doc://b#pages", "doc://b#pages=", "doc://b#pages=0", "doc://b#pages=-1", "doc://b#pages=5-3", "doc://b#pages=1.5",
		"doc://b#pages=1,", "doc://b#pages=1e3", "doc://b#pages=+1", "doc://b#pages=99999999999999999999", "doc://b#pages=9223372036854775807",
		"doc://b#t=0-", "text://t#t=0-", "doc://b#pages=1&pages=2", "doc://b#page=1", "doc://b#lines=1-2", "doc://b#t=1-2", "doc://b#pages=1-2&bbox=0,0,1,1", "doc://b#bbox=0,0,1,1",
		"video://v#t=5", "video://v#t=-5", "video://v#t=5-5", "video://v#t=6-5", "video://v#t=NaN-5", "video://v#t=1e1-50", "video://v#t=Inf-",
		"video://v#t=1:60-", "video://v#t=1:2-", "video://v#t=1:2:3:4-", "video://v#t=.5-1", "video://v#t=5.-6", "video://v#t=0x1-2", "video://v#t=1-99999999999999",
		"image://i#bbox=0,0,1", "image://i#bbox=0,0,1,1,1", "image://i#bbox=0,0,0,0", "image://i#bbox=0.5,0,0.5,1", "image://i#bbox=0,0,1.1,1", "image://i#bbox=-0,0,1,1",
		"text://t#lines=0", "text://t#lines=3-2", "text://t#lines=1,2", "text://t#v=123", "text://t#v=xyzxyzxy", "text://t#v=" + strings.Repeat("a", 65),
		"doc://b#pages=5-6&table=2", "doc://b#pages=5&table=0", "doc://b#pages=5&table=02", "doc://b#pages=5&table=two", "doc://b#table=orders&cells=B3", "doc://b#pages=5&table=2&rows=3",
		"doc://b#part=4-6&table=2", "doc://b#part=4&table=x", "text://t#table=x", "text://t#table=2&lines=3", "doc://b#pages=5&cells=B3", "doc://b#blocks=3&table=2",
		"virtual://", "virtual:///x", "virtual://a/\x1b[2J", "virtual://a/" + strings.Repeat("x", 9000),
	} {
		a, err := citekit.ParseAddress(in)
		if !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("ParseAddress(%q) = %v, %v; want ErrSyntax", in, a, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x00\x1b\n") {
			t.Errorf("ParseAddress(%q): the error has raw control characters: %q", in, err)
		}
	}
}

func TestParseAddressIsCheap(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err := citekit.ParseAddress("doc://b#pages=1-2000000000")
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<10 {
		t.Errorf("parsing %v took %d bytes", a, used)
	}
	if _, err := a.Location.MarshalJSON(); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("MarshalJSON of two thousand million pages: %v, want ErrTooLarge", err)
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{
		"midi://song#t=1-2", "table://t#pages=1,2&lines=3&t=0-&bbox=0,0,1,1&v=0123abcd", "x264://a%20b", "doc://book#pages=3-5,9&bbox=0,0,1,1", "video://v#t=1:02:03.25-", "text://a%20b#lines=5", "image://i#bbox=0.1,0.2,0.3,0.4&v=0123abcd",
		"doc://c#blocks=14&cells=b2:$C$3", "doc://b#sheet=Q4%20Results&cells=B5:D10", "doc://b#sheet=a&cols=b:d", "doc://b#sheet=a&rows=5-7", "doc://n#part=4&blocks=12-15", "doc://n#part=4-6", "text://m#message=3&part=1.2&lines=3-9",
		"text://d#rows=5-7&cols=na%2Cme,price:a", "doc://q#table=orders&rows=5-7&cols=id", "image://z#member=dir/a%21.png&bbox=0,0,1,0.5", "doc://z#member=in.zip!/a.pdf&pages=2",
		"doc://b#table=2&cells=b3:D7&pages=5", "doc://n#part=4&table=2&cells=B3", "text://t#table=2&cells=B3",
		"virtual://db/x?y#z", "audio://talk#t=0.000001-5e-9", "doc://b#pages=1-2000000000", "virtual://é",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		a, err := citekit.ParseAddress(in)
		if err != nil {
			if !errors.Is(err, citekit.ErrSyntax) {
				t.Fatalf("ParseAddress(%q): %v does not match ErrSyntax", in, err)
			}
			return
		}
		canonical := a.String()
		again, err := citekit.ParseAddress(canonical)
		if err != nil {
			t.Fatalf("ParseAddress(%q) gives %q, which does not parse: %v", in, canonical, err)
		}
		if !again.Equal(a) {
			t.Fatalf("%q parses to %+v, its canonical form %q to %+v", in, a, canonical, again)
		}
		if again.String() != canonical {
			t.Fatalf("the canonical form of %q is not stable: %q, %q", in, canonical, again)
		}
	})
}

func FuzzFragments(f *testing.F) {
	for _, seed := range []string{"t=10,20", "t=npt:,5", "xywh=percent:25,25,50,50", "xywh=1,2,3,4", "page=5&zoom=100", "line=9,25;md5=0", "pages=3-5", "t=1-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, m := range modalities {
			if loc, err := citation.ParseMediaFragment(in, citekit.Extent{Modality: m, Width: 640, Height: 480}); err == nil && loc.Validate() != nil {
				t.Errorf("ParseMediaFragment(%q) for %s is invalid: %v", in, m, loc.Validate())
			}
		}
		if loc, err := citation.ParsePDFFragment(in); err == nil {
			if out, err := citation.PDFFragment(loc); err != nil {
				t.Errorf("PDFFragment of %q: %v, %v", in, out, err)
			}
		}
		if loc, err := citation.ParseTextFragment(in); err == nil {
			out, err := citation.TextFragment(loc)
			again, err2 := citation.ParseTextFragment(out)
			if err != nil || err2 != nil || !again.Equal(loc) {
				t.Errorf("TextFragment of %q: %q, %v, %v", in, out, err, err2)
			}
		}
		if loc, _, err := citekit.ParseFragment(in); err == nil && loc.Modality != "" && loc.Validate() != nil {
			t.Errorf("ParseFragment(%q) is invalid: %v", in, loc.Validate())
		}
	})
}

func TestMediaFragments(t *testing.T) {
	video := citekit.Extent{Modality: citekit.Video, Duration: 100}
	image := citekit.Extent{Modality: citekit.Image, Width: 640, Height: 480}
	tests := []struct {
		in     string
		extent citekit.Extent
		want   string // address of resource "r"
		out    string // fragment again
	}{
		{"t=10,20", video, "video://r#t=10-20", "t=10,20"},
		{"t=npt:10,20", video, "video://r#t=10-20", "t=10,20"},
		{"t=,20", video, "video://r#t=0-20", "t=0,20"},
		{"t=10", video, "video://r#t=10-", "t=10"},
		{"t=0:02:00,121.5", video, "video://r#t=120-121.5", "t=120,121.5"},
		{"xywh=percent:25,25,50,50", image, "image://r#bbox=0.25,0.25,0.75,0.75", "xywh=percent:25,25,50,50"},
		{"xywh=160,120,320,240", image, "image://r#bbox=0.25,0.25,0.75,0.75", "xywh=percent:25,25,50,50"},
		{"xywh=pixel:0,0,64,48", image, "image://r#bbox=0,0,0.1,0.1", "xywh=percent:0,0,10,10"},
	}
	for _, test := range tests {
		loc, err := citation.ParseMediaFragment(test.in, test.extent)
		if err != nil {
			t.Errorf("ParseMediaFragment(%q): %v", test.in, err)
			continue
		}
		if got := (citekit.Address{Resource: "r", Location: loc}).String(); got != test.want {
			t.Errorf("ParseMediaFragment(%q) = %s, want %s", test.in, got, test.want)
		}
		if out, err := citation.MediaFragment(loc); out != test.out || err != nil {
			t.Errorf("MediaFragment of %q = %q, %v, want %q", test.in, out, err, test.out)
		}
	}
}

func TestForeignFragmentErrors(t *testing.T) {
	video, image := citekit.Extent{Modality: citekit.Video}, citekit.Extent{Modality: citekit.Image}
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"smpte", second(citation.ParseMediaFragment("t=smpte:0:0:1", video)), errors.ErrUnsupported},
		{"track", second(citation.ParseMediaFragment("track=audio", video)), errors.ErrUnsupported},
		{"empty time", second(citation.ParseMediaFragment("t=", video)), citekit.ErrSyntax},
		{"reversed", second(citation.ParseMediaFragment("t=20,10", video)), citekit.ErrSyntax},
		{"pixels of nothing", second(citation.ParseMediaFragment("xywh=1,2,3,4", image)), errors.ErrUnsupported},
		{"box outside", second(citation.ParseMediaFragment("xywh=percent:60,0,50,50", image)), citekit.ErrSyntax},
		{"lines in video", second(citation.ParseMediaFragment("xywh=percent:0,0,50,50", video)), citekit.ErrSyntax},
		{"no page", second(citation.ParsePDFFragment("zoom=100")), citekit.ErrSyntax},
		{"page 0", second(citation.ParsePDFFragment("page=0")), citekit.ErrSyntax},
		{"two pages", second(citation.PDFFragment(document("b", citekit.Range{First: 1, Last: 2}).Location)), errors.ErrUnsupported},
		{"char", second(citation.ParseTextFragment("char=1,2")), errors.ErrUnsupported},
		{"position", second(citation.ParseTextFragment("line=10")), errors.ErrUnsupported},
		{"open end", second(citation.ParseTextFragment("line=10,")), errors.ErrUnsupported},
		{"empty range", second(citation.ParseTextFragment("line=10,10")), citekit.ErrSyntax},
	}
	for _, test := range tests {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, test.err, test.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestTextAndPDFFragments(t *testing.T) {
	// RFC 5147, section 2.2.2: line=9,25 are the lines after position 9.
	loc, err := citation.ParseTextFragment("line=9,25;length=9876,UTF-8")
	if err != nil || loc.Lines != (citekit.Range{First: 10, Last: 25}) {
		t.Errorf("line=9,25: %+v, %v", loc.Lines, err)
	}
	if out, err := citation.TextFragment(loc); out != "line=9,25" || err != nil {
		t.Errorf("TextFragment = %q, %v", out, err)
	}
	loc, err = citation.ParsePDFFragment("zoom=50&page=7")
	if out, _ := citation.PDFFragment(loc); err != nil || out != "page=7" {
		t.Errorf("PDFFragment = %q, %v", out, err)
	}
}

func TestLocationValidate(t *testing.T) {
	bad := []citekit.Location{
		{},
		{Modality: "PDF"},
		{Modality: citekit.Document, Pages: []citekit.Range{{First: 0, Last: 2}}},
		{Modality: citekit.Document, Pages: []citekit.Range{{First: 3, Last: 2}}},
		{Modality: citekit.Document, Pages: []citekit.Range{{First: 3, Last: 4}, {First: 1, Last: 1}}},
		{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 2}, {First: 3, Last: 4}}},
		{Modality: citekit.Text, Lines: citekit.Range{First: -1, Last: 3}},
		{Modality: citekit.Video, Time: citekit.Span{Start: -1, End: 2}},
		{Modality: citekit.Video, Time: citekit.Span{Start: math.NaN(), End: 2}},
		{Modality: citekit.Video, Time: citekit.Span{Start: 1, End: math.Inf(1)}},
		{Modality: citekit.Image, Box: citekit.Box{X2: 2, Y2: 1}},
		{Modality: citekit.Image, Lines: citekit.Range{First: 1, Last: 1}},
		{Modality: citekit.Text, VirtualAddress: "x"},
		{Modality: citekit.Virtual, VirtualAddress: "a\nb"},
		{Modality: citekit.Virtual, VirtualAddress: "virtual://"},
	}
	for _, loc := range bad {
		if err := loc.Validate(); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%+v: %v, want ErrSyntax", loc, err)
		}
	}
}

func TestNegativeZero(t *testing.T) {
	zero := math.Copysign(0, -1)
	for want, loc := range map[string]citekit.Location{
		"video://r#t=0-5":        {Modality: citekit.Video, Time: citekit.Span{Start: zero, End: 5}},
		"image://r#bbox=0,0,1,1": {Modality: citekit.Image, Box: citekit.Box{X1: zero, Y1: zero, X2: 1, Y2: 1}},
	} {
		if got := (citekit.Address{Resource: "r", Location: loc}).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestPageRuns(t *testing.T) {
	const most = math.MaxInt
	for _, test := range []struct{ in, want []citekit.Range }{
		{nil, nil},
		{[]citekit.Range{{First: 3, Last: 4}, {First: 1, Last: 2}}, []citekit.Range{{First: 1, Last: 4}}},
		{[]citekit.Range{{First: 1, Last: 9}, {First: 2, Last: 3}, {First: 11, Last: 11}}, []citekit.Range{{First: 1, Last: 9}, {First: 11, Last: 11}}},
		{[]citekit.Range{{First: most, Last: most}, {First: -5, Last: -5}}, []citekit.Range{{First: -5, Last: -5}, {First: most, Last: most}}},
	} {
		if diff := cmp.Diff(test.want, (citekit.Location{}).WithPages(test.in...).Pages); diff != "" {
			t.Errorf("PageRuns(%v):\n%s", test.in, diff)
		}
	}
}

func TestHashOfShrunkSource(t *testing.T) {
	src := citekit.NewSource(strings.NewReader("short"), citekit.SourceInfo{Size: 9})
	if hash, err := src.Hash(t.Context()); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("Hash = %s, %v", hash, err)
	}
}

func TestBoxPixels(t *testing.T) {
	tests := []struct {
		box            citekit.Box
		x1, y1, x2, y2 int
	}{
		{citekit.Box{}, 0, 0, 100, 50},
		{citekit.Box{X1: 0.1, Y1: 0.1, X2: 0.5, Y2: 0.5}, 10, 5, 50, 25},
		{citekit.Box{X1: 0.004, Y1: 0, X2: 0.0041, Y2: 1}, 0, 0, 1, 50},
		{citekit.Box{X1: 0.999, Y1: 0.999, X2: 1, Y2: 1}, 99, 49, 100, 50},
	}
	for _, test := range tests {
		x1, y1, x2, y2 := test.box.Pixels(100, 50)
		if x1 != test.x1 || y1 != test.y1 || x2 != test.x2 || y2 != test.y2 {
			t.Errorf("%+v: %d,%d,%d,%d", test.box, x1, y1, x2, y2)
		}
	}
}

// TestTimeIsEverything checks that a fragment may have the time of all, as an address.
func TestTimeIsEverything(t *testing.T) {
	for _, fragment := range []string{"t=0-", "t=0:00-", "t=0-&v=0123abcd"} {
		if loc, _, err := citekit.ParseFragment(fragment); err != nil || !loc.IsWhole() || loc.Modality != "" {
			t.Errorf("ParseFragment(%q) = %+v, %v", fragment, loc, err)
		}
	}
}

// TestTables has tables by number and by name.
func TestTables(t *testing.T) {
	for in, want := range map[string]string{
		"doc://b#table=2&cells=d7:B3&pages=5":   "doc://b#pages=5&table=2&cells=B3:D7",
		"doc://b#table=2&pages=5-5&v=0123ABCDe": "doc://b#pages=5&table=2&v=0123abcde",
		"doc://b#cells=B3&table=2":              "doc://b#table=2&cells=B3",
		"doc://n#table=2&part=4&cells=B3":       "doc://n#part=4&table=2&cells=B3",
		"doc://q#rows=5-7&table=orders":         "doc://q#table=orders&rows=5-7",
		"doc://q#table=2&rows=5":                "doc://q#table=2&rows=5",
		"text://t#cells=B3&table=2":             "text://t#table=2&cells=B3",
	} {
		a, err := citekit.ParseAddress(in)
		if err != nil || a.String() != want {
			t.Errorf("%s: %v, %v; want %s", in, a, err, want)
			continue
		}
		data, err := a.Location.MarshalJSON()
		var loc citekit.Location
		if err != nil || loc.UnmarshalJSON(data) != nil || !loc.Equal(a.Location) {
			t.Errorf("%s: as JSON %s, %v", in, data, err)
		}
	}
	for fragment, want := range map[string]citekit.Modality{
		"pages=5&table=2": citekit.Document, "table=orders": citekit.Document, "table=2&rows=3": citekit.Document, "table=2": "", "table=2&cells=B3": "", "part=4&table=2": "",
	} {
		if loc, _, err := citekit.ParseFragment(fragment); err != nil || loc.Modality != want {
			t.Errorf("%s: %q, %v; want %q", fragment, loc.Modality, err, want)
		}
	}
	page, table := citekit.Document.Pages(5, 5), citekit.Document.Pages(5, 5)
	table.Table = "2"
	cell := table
	_ = cell.Cells.UnmarshalText([]byte("B3"))
	other := cell
	other.Table = "1"
	if !page.Contains(table) || !table.Contains(cell) || cell.Contains(table) || table.Contains(other) || cell.TableNumber() != 2 {
		t.Error("what contains what")
	}
}
