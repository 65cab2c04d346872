package verify

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/internal/strictjson"
)

// A Class says how well a quote matches its source.
type Class string

const (
	// Exact is a quote that is at the address, letter for letter. Its layout may
	// differ: spaces, line ends, and words divided at them, which [Verdict.Notes]
	// lists.
	Exact Class = "exact"

	// Repaired is a quote that is at the address except for differences made by
	// copying and typesetting, which [Verdict.Repairs] lists, or that is at an address
	// whose text was recognised in a picture: [Verdict.OCR].
	Repaired Class = "repaired"

	// Elsewhere is a quote that is, exact or repaired, at another place than
	// the named one. [Verdict.Address] is that place.
	Elsewhere Class = "elsewhere"

	// Altered is a quote that is similar to a part of its source, but differs
	// in the words that [Verdict.Difference] lists. With a stated address that is
	// the resource of the address.
	Altered Class = "altered"

	// NotFound is a quote without a similar part in its source.
	NotFound Class = "not_found"

	// Unchecked is a quote that could not be looked for, or not everywhere that it
	// may be, or a claim or an address alone whose address does not hold. Unless
	// [Verdict.Stale] does, [Verdict.Problem] says why: the address is invalid or
	// leads to nothing, there is no text at it, as on a scanned page, or the source
	// cannot be read.
	Unchecked Class = "unchecked"
)

type (
	// A Repair is a difference between quote and source that does not change
	// the meaning. Kind is what differs:
	//
	//	white_space        different or missing spaces and line ends
	//	hyphenation        a word divided at the end of a line
	//	ligatures          one character for several letters
	//	case               capital and small letters
	//	typographic_signs  quotation marks, dashes and dots of another shape
	//	character_forms    another form of the same character, such as full-width
	//	page_break         running heads, page numbers and notes between two pages
	//	ellipsis           text that the quote marks as left out
	//	footnote_marks     marks of notes
	//	end_of_sentence    a full stop or comma of the quoting sentence
	//	markup             signs of a markup language or of comments in code
	//
	// Times is how often the quote has it. If the quote leaves something out,
	// Source is the text of the source at the first such place, of at most 200
	// bytes, of which a longer one has its start and end; otherwise it is "".
	Repair = quotation.Repair

	// RepairKind is the kind of a [Repair], as its comment lists them.
	RepairKind = quotation.Kind

	// A Change is a difference in words. Quote has the words that only the
	// quote has, and Source those that only the source has, each at most 300
	// bytes or "". Invisible characters are written as their codes, such as
	// "\u202e". Note explains a difference that cannot be seen, between
	// look-alike letters of different scripts, or why the ellipsis in Quote may
	// not stand for Source; otherwise it is "".
	Change = quotation.Change
)

// A Span is a part of a text in three units: bytes of UTF-8, Unicode code
// points, and units of UTF-16. Offsets are counted from 0, and the end is
// exclusive. In a [Verdict] the text is that of the resource, as package
// textlayer stores it; in a [Report] it is the text that was checked.
type Span struct {
	Bytes      [2]int64 `json:"bytes"`
	CodePoints [2]int64 `json:"code_points"`
	UTF16      [2]int64 `json:"utf16"`
}

// A PageBox is the box of a line of a quote on a page.
type PageBox struct {
	Page int // from 1
	Box  citekit.Box
}

// A Verdict says whether a quote is in its source, and where.
type Verdict struct {
	Quote string
	Class Class

	// Address is the place of the quote, or of the text similar to it; zero if
	// the quote was not found.
	Address citekit.Address

	// Text is the text of the source there; "" if the quote was not found.
	Text string

	// Span is the place of the quote in the text of its resource. It is zero if
	// the quote was not found. It is also zero if the quote is at the address,
	// but has no single place in the stored text: the stored text does not
	// separate the cells of a row, and writes HTML differently.
	Span  Span
	Parts [][2]int64 // the bytes of Span without what the quote leaves out between its words
	Boxes []PageBox  // boxes of the text on its pages, if the request asks for them

	Repairs    []Repair // the repairs that were needed, if not only of the layout; each kind once
	Difference []Change // of an altered quote, in the order of the quote

	// Similarity is 1 for a found quote, and for an altered one the share of
	// words that quote and source have in common, from 0 to 1.
	Similarity float64

	// Others are further places of the quote, at most [MaxOthers]; none where
	// Span is not known. Of a quote that was not found in the resource of its
	// address it is the most similar part of the others, if there is one. Places
	// is the number of all places of the quote, including the first; if Counted is
	// false, there may be more.
	Others  []citekit.Address
	Places  int
	Counted bool

	// OCR says that words of Text were recognised in a picture, by a program that is sure
	// of them to Confidence, from 0 to 1; 0 if that is not known. Such a quote is never
	// [Exact]: nobody has compared the words with the picture.
	OCR        bool
	Confidence float64

	// Stale says that the source changed since it was mapped or cited. The
	// verdict is then about the text of the version that was cited, or else
	// mapped; if that is not kept, the class is [Unchecked].
	Stale bool

	// Transcribed says that the text was compared with what a machine heard in a
	// recording, as [textlayer.Layer.Transcribed] has it.
	Transcribed bool

	// LeftOut is, for a quote without a stated address that was not found or is
	// altered, how many resources were not searched, because their sources have
	// changed since they were mapped, are gone or cannot be read. The quote may be
	// in them.
	LeftOut int

	// Notes are remarks, each a few words for a person to read: that the words are
	// in a subtitle or block that is larger than the cited place, that the cited
	// place has no text to look in, what stands at the cited place, or which
	// differences of layout an exact quote has.
	Notes []string

	// Problem says why the quote could not be searched for at its address; nil
	// if it was searched for. The class is then [Unchecked]. If only a part of
	// the text could be searched (an archive that is partly unpacked, texts
	// that are not indexed yet) and that part has similar words, the class is
	// [Altered].
	Problem error
}

// Holds reports whether the quote is at its address, in a source that is
// unchanged since it was cited.
func (v *Verdict) Holds() bool {
	return !v.Stale && v.Problem == nil && (v.Class == Exact || v.Class == Repaired)
}

// MarshalJSON returns an object with "quote", "class", "address" (null if not
// found), "similarity", and, unless they are empty, "text", "span", "boxes",
// "repairs", "difference", "others", "places", "ocr", "confidence", "stale", "left_out", "notes" and "error". An exact
// quote has no "text", because that equals the quote.
func (v *Verdict) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	v.write(w)
	return w.Bytes(), w.Err
}
