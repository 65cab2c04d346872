package citation

import (
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/decimal"
	"github.com/citekit/citekit/internal/message"
)

// A PageSize is the size of a page as displayed, in points of 1/72 inch.
type PageSize struct{ Width, Height float64 }

// PDFRegion returns a box on one page as a fragment of RFC 8118. Its viewrect
// and highlight are in points from the top left, such as
// "page=3&viewrect=72,72,468,100&highlight=72,540,72,172". The numbers of
// highlight are integers, and its rectangle contains the whole box. If the
// location has no box, or the page no size, the error matches
// [citekit.ErrSyntax]. For a page of a member, part or message it matches
// [errors.ErrUnsupported].
func PDFRegion(l citekit.Location, page PageSize) (string, error) {
	if err := checkOuter(l); err != nil {
		return "", err
	}
	if l.PageCount() != 1 || l.Box.IsZero() || !page.valid() {
		return "", syntaxError("location %s on a page of %v by %v points; a region needs one page with a box, and its size", l, page.Width, page.Height)
	}
	left, right := l.Box.X1*page.Width, l.Box.X2*page.Width
	top, bottom := l.Box.Y1*page.Height, l.Box.Y2*page.Height
	return "page=" + strconv.Itoa(l.Pages[0].First) +
		"&viewrect=" + join(points(left), points(top), points(right-left), points(bottom-top)) +
		"&highlight=" + join(math.Floor(left), math.Ceil(points(right)), math.Floor(top), math.Ceil(points(bottom))), nil
}

func (p PageSize) valid() bool {
	return p.Width > 0 && p.Height > 0 && p.Width <= math.MaxInt32 && p.Height <= math.MaxInt32
}

// points rounds to a thousandth.
func points(v float64) float64 { return math.Round(v*1e3) / 1e3 }

func join(numbers ...float64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = decimal.Format(n)
	}
	return strings.Join(texts, ",")
}

// ParsePDFRegion is [ParsePDFFragment] with the box of a viewrect, or else of a
// highlight, on a page of the given size. The box is cut at the edges of the
// page. If the rectangle is outside the page, the error matches
// [citekit.ErrSyntax].
func ParsePDFRegion(fragment string, page PageSize) (citekit.Location, error) {
	loc, err := ParsePDFFragment(fragment)
	if err != nil {
		return loc, err
	}
	if !page.valid() {
		return loc, syntaxError("a page of %v by %v points", page.Width, page.Height)
	}
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(param, "=")
		if name != "viewrect" && (name != "highlight" || !loc.Box.IsZero()) {
			continue
		}
		v, ok := parseNumbers(value)
		if !ok {
			return citekit.Location{}, syntaxError("%s=%s; write four numbers of points", name, message.Clip(value))
		}
		left, top, right, bottom := v[0], v[1], v[0]+v[2], v[1]+v[3]
		if name == "highlight" {
			left, right, top, bottom = v[0], v[1], v[2], v[3]
		}
		loc.Box = citekit.Box{
			X1: min(left/page.Width, 1), Y1: min(top/page.Height, 1),
			X2: min(right/page.Width, 1), Y2: min(bottom/page.Height, 1),
		}
	}
	return loc, loc.Validate()
}

func parseNumbers(value string) (v [4]float64, ok bool) {
	parts := strings.SplitN(value, ",", 5)
	if len(parts) != 4 {
		return v, false
	}
	for i, part := range parts {
		if v[i], ok = decimal.Parse(part); !ok {
			return v, false
		}
	}
	return v, true
}
