// Package quotation finds quotes in a text and reports how they differ from it. It
// knows nothing of resources: text in, offsets out.
package quotation

// A Kind is a kind of difference that can be repaired.
type Kind string

// The kinds of repairs.
const (
	WhiteSpace       Kind = "white_space"       // different or missing spaces and line ends
	Hyphenation      Kind = "hyphenation"       // a word divided at the end of a line
	Ligatures        Kind = "ligatures"         // one character for several letters
	Case             Kind = "case"              // capital and small letters
	TypographicSigns Kind = "typographic_signs" // quotation marks, dashes and dots of another shape
	CharacterForms   Kind = "character_forms"   // another form of the same character, such as composed or full-width
	PageBreak        Kind = "page_break"        // running heads, page numbers and notes between two pages
	Ellipsis         Kind = "ellipsis"          // text that the quote marks as left out
	FootnoteMarks    Kind = "footnote_marks"    // note marks
	EndOfSentence    Kind = "end_of_sentence"   // a full stop or comma of the quoting sentence
	Markup           Kind = "markup"            // signs of a markup language or of comments in code
)

// A Repair is a difference that does not change the meaning.
type Repair struct {
	Kind  Kind `json:"kind"`
	Times int  `json:"times"`

	// Source is the source text at the first occurrence, if the quote leaves something
	// out; else "". It has at most 200 bytes: the start and the end of a longer one.
	Source string `json:"source,omitempty"`
}

// A Change is a difference in words, with at most 300 bytes of each side. Source is ""
// if only the quote has the words, and Quote is "" if only the source has them.
// Invisible characters are written as their codes, such as "\u202e".
type Change struct {
	Quote  string `json:"quote"`
	Source string `json:"source"`

	// Note explains a difference that cannot be seen, between look-alike letters of
	// different scripts, or why an ellipsis may not stand for Source; else "".
	Note string `json:"note,omitempty"`
}
