// Package quotation finds quotes in a text and says how they differ from what
// stands there. It knows no resources: text in, offsets out.
package quotation

// A Kind is what a repair puts right.
type Kind string

// The kinds of repairs.
const (
	WhiteSpace       Kind = "white_space"       // spaces and line ends that differ, or are there in one text only
	Hyphenation      Kind = "hyphenation"       // a word that is divided at the end of a line
	Ligatures        Kind = "ligatures"         // one character for several letters
	Case             Kind = "case"              // capital and small letters
	TypographicSigns Kind = "typographic_signs" // quotation marks, dashes and dots of another shape
	CharacterForms   Kind = "character_forms"   // another form of the same character, such as a composed one, or one of full width
	PageBreak        Kind = "page_break"        // running heads, page numbers and notes between two pages
	Ellipsis         Kind = "ellipsis"          // what the quote says that it leaves out
	FootnoteMarks    Kind = "footnote_marks"    // marks of notes
	EndOfSentence    Kind = "end_of_sentence"   // a full stop or comma of the sentence that quotes
	Markup           Kind = "markup"            // signs of a markup language, and of comments in code
)

// A Repair is a difference that changes nothing of what is said.
type Repair struct {
	Kind  Kind `json:"kind"`
	Times int  `json:"times"`

	// Source is what the source has, of the first time, where the quote leaves
	// something out; else "". It is at most 200 bytes.
	Source string `json:"source,omitempty"`
}

// A Change is a difference by words, at most 300 bytes of each side. Where the quote
// has words that the source has not, Source is "", and the other way round.
// Characters that do not show are written as their code, such as "\u202e".
type Change struct {
	Quote  string `json:"quote"`
	Source string `json:"source"`

	// Note says what cannot be seen of it: letters that look like those of another
	// script; else "".
	Note string `json:"note,omitempty"`
}
