package epub_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/epub"
)

func TestFromCFI(t *testing.T) {
	r, data := new(epub.Resolver), pack(t, files())
	for cfi, want := range map[string]citekit.Location{
		"epubcfi(/6/2!)":                         at(1),
		"epubcfi(/6/2[ref1])":                    at(1),
		"book.epub#epubcfi(/6/4!)":               at(2),
		"epubcfi(/6/4!/4)":                       at(2, 1, 1),
		"epubcfi(/6/4!/4/2/4[p2]/1:3)":           at(2, 2, 2),
		"epubcfi(/6/4!/4/2/4[p2]/1:3[aph;s=b])":  at(2, 2, 2),
		"epubcfi(/6/4!/4/2/100[p2])":             at(2, 2, 2), // the id counts
		"epubcfi(/6/4!/4/2/6/4/2/1:1)":           at(2, 3, 3), // in a list
		"epubcfi(/6/4!/4/4[mark])":               at(2, 4, 4), // before a block
		"epubcfi(/6/4!/4/6/2/2/3:2)":             at(2, 5, 5), // text without an element
		"epubcfi(/6/4!/4/6/6/2~3.5@10:20)":       at(2, 7, 7), // a place in a picture
		"epubcfi(/6/4!/4/0)":                     at(2, 1, 1),
		"epubcfi(/6/4!/4/8)":                     at(2, 8, 8), // after the last element
		"epubcfi(/6/4!/4,/2/2,/6/2/2/6/2/2/1:1)": at(2, 1, 6),
		"epubcfi(/6,/2!/4,/4!/4)":                parts(1, 2),
		"epubcfi(/6/4!/4/2,/2/1:1,/4/1:2)":       at(2, 1, 2),
		"epubcfi(/6/4!/4/2,/2/1:1,/3:1)":         at(2, 1, 1), // it ends between blocks
	} {
		got, err := r.FromCFI(t.Context(), source(data), cfi)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s is %v, %v; want %v", cfi, got, err, want)
		}
	}
	for cfi, want := range map[string]error{
		"": citekit.ErrSyntax, "epubcfi(/6/2": citekit.ErrSyntax, "epubcfi(6)": citekit.ErrSyntax, "epubcfi(/6/x)": citekit.ErrSyntax,
		"epubcfi(/6/2[a)": citekit.ErrSyntax, "epubcfi(!)": citekit.ErrSyntax, "epubcfi(/6/2!/4,/2)": citekit.ErrSyntax,
		"epubcfi(/6/4!/4/1/2)": citekit.ErrSyntax, "epubcfi(/6/2:x)": citekit.ErrSyntax, "epubcfi(/99999999999999999999)": citekit.ErrSyntax,
		"epubcfi(/6/90!)": citekit.ErrRange, "epubcfi(/6/4!/4/90)": citekit.ErrRange,
		"epubcfi(/2)": errors.ErrUnsupported, "epubcfi(/6,/4!/4,/2!/4)": citekit.ErrRange,
		"epubcfi(/6/10!/4)": citekit.ErrFormat, "epubcfi(" + strings.Repeat("/2", 5000) + ")": citekit.ErrSyntax,
	} {
		if got, err := r.FromCFI(t.Context(), source(data), cfi); !errors.Is(err, want) {
			t.Errorf("%.50s is %v, %v; want %v", cfi, got, err, want)
		}
	}
}

func TestCFI(t *testing.T) {
	r, data := new(epub.Resolver), pack(t, files())
	for want, loc := range map[string]citekit.Location{
		"epubcfi(/6/2[ref1]!)":                             at(1),
		"epubcfi(/6/4!/4/2[s1]/4[p2])":                     at(2, 2, 2),
		"epubcfi(/6/4!,/4/2[s1]/2,/4/2[s1]/7:0)":           at(2, 1, 3),
		"epubcfi(/6/4!,/4/6[s2]/2/2/3:0,/4/6[s2]/2/2/7:0)": at(2, 5, 6),
		"epubcfi(/6,/2[ref1]!,/6!/6)":                      parts(1, 3),
		"epubcfi(/6,/6!,/10!)":                             parts(3, 5), // the last is missing
		"epubcfi(/6/8!/4/4)":                               at(4, 2, 2),
	} {
		if got, err := r.CFI(t.Context(), source(data), loc); err != nil || got != want {
			t.Errorf("%v is %s, %v; want %s", loc, got, err, want)
		}
	}
	for loc, want := range map[*citekit.Location]error{
		{Modality: citekit.Document}: errors.ErrUnsupported, ptr(at(9)): citekit.ErrRange, ptr(at(2, 9, 9)): citekit.ErrRange,
	} {
		if got, err := r.CFI(t.Context(), source(data), *loc); !errors.Is(err, want) {
			t.Errorf("%v is %s, %v", *loc, got, err)
		}
	}
}

func ptr(loc citekit.Location) *citekit.Location { return &loc }

// TestCFIBack converts all runs of blocks there and back.
func TestCFIBack(t *testing.T) {
	r, data := new(epub.Resolver), pack(t, files())
	for part, blocks := range map[int]int{1: 2, 2: 8, 3: 2} {
		locs := []citekit.Location{at(part), parts(part, part+1)}
		for first := 1; first <= blocks; first++ {
			for last := first; last <= blocks; last++ {
				locs = append(locs, at(part, first, last))
			}
		}
		for _, loc := range locs {
			cfi, err := r.CFI(t.Context(), source(data), loc)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := r.FromCFI(t.Context(), source(data), cfi); err != nil || !got.Equal(loc) {
				t.Errorf("%v becomes %s and that %v, %v", loc, cfi, got, err)
			}
		}
	}
}

func FuzzFromCFI(f *testing.F) {
	r, data := new(epub.Resolver), pack(f, files())
	for _, seed := range []string{"epubcfi(/6/4[x]!/4/2,/1:2,/4:1[a^]b;s=a])", "epubcfi(/6/4!/4/6/6/2~3.5@10:20)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cfi string) {
		loc, err := r.FromCFI(t.Context(), source(data), cfi)
		if err != nil {
			if !errors.Is(err, citekit.ErrSyntax) && !errors.Is(err, citekit.ErrRange) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, citekit.ErrFormat) {
				t.Fatalf("an error that is not known: %v", err)
			}
			return
		}
		if _, err := r.Resolve(t.Context(), source(data), citekit.Request{Location: loc}); err != nil && !errors.Is(err, citekit.ErrFormat) {
			t.Fatalf("%q is %v, which does not resolve: %v", cfi, loc, err)
		}
	})
}
