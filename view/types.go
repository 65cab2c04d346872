package view

// A Kind says how a part is best shown.
type Kind string

// The kinds.
const (
	Pages  Kind = "pages"
	Slides Kind = "slides"
	Cells  Kind = "cells"  // rows of a sheet
	Rows   Kind = "rows"   // rows of a table, or of comma-separated values
	Blocks Kind = "blocks" // paragraphs, lists and tables
	Lines  Kind = "lines"
	Image  Kind = "image"
	Video  Kind = "video"
	Audio  Kind = "audio"
	Parts  Kind = "parts" // parts of a book or a mail, or messages
	Text   Kind = "text"  // text of another kind
)

// A State says whether a source is as it was when it was mapped or cited.
type State string

// The states.
const (
	Current State = "current"
	Changed State = "changed"
	Missing State = "missing"
)

// A View is a part of a resource as a person looks at it. Offsets count code points from
// 0, the end excluded. A box is [x, y, width, height] in fractions of the whole page or
// image, from the top left.
type View struct {
	Address    string  `json:"address" doc:"What is looked at."`
	DocumentID string  `json:"documentId"`
	Document   Source  `json:"document"`
	NodeID     string  `json:"nodeId,omitempty"`
	Label      string  `json:"label" doc:"The title, the part and the place, for people."`
	Kind       Kind    `json:"kind" enum:"pages,slides,cells,rows,blocks,lines,image,video,audio,parts,text" doc:"How to show it."`
	Format     string  `json:"format,omitempty" doc:"The extension of the file, such as pdf."`
	MediaType  string  `json:"mediaType,omitempty" doc:"Of the file, if it is an image, a video or a sound."`
	State      State   `json:"state" enum:"current,changed,missing" doc:"Of the source, against the map and the address."`
	Note       string  `json:"note,omitempty" doc:"Why there is no text, or not all of it, or which version it is of."`
	Extent     *Extent `json:"extent,omitempty" doc:"The size of the whole document."`

	Spans    []Span   `json:"spans" nullable:"false" doc:"The text at the address and around it, in order. Between two spans there are line ends alone."`
	Before   string   `json:"before,omitempty" doc:"A cursor for the text before the first span; none at the start."`
	After    string   `json:"after,omitempty" doc:"A cursor for the text behind the last span; none at the end."`
	Selected *[2]int  `json:"selected,omitempty" doc:"Which spans the address has something of, the end excluded; the first such, if they are not beside each other."`
	More     [][2]int `json:"moreSelected,omitempty" doc:"The others."`

	LastRow  int       `json:"lastRow,omitempty" doc:"The number of the last row with text of the sheet or table, or of the last record of comma-separated values."`
	Header   string    `json:"header,omitempty" doc:"Record 1 of comma-separated values, which names the columns, with tabs between the names."`
	Pictures []Picture `json:"pictures,omitempty" doc:"One for each page at the address, or for the image."`
	Quote    *Quote    `json:"quote,omitempty" doc:"Whether the quote that was asked for stands there."`

	Transcribed bool `json:"transcribed,omitempty" doc:"The text is what a machine heard in a recording."`
}

// A Source is the resource that a part is of.
type Source struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Type  string `json:"type" doc:"The modality."`
}

// An Extent is the size of a whole resource.
type Extent struct {
	Unit    string  `json:"unit,omitempty" doc:"pages, sheets, tables, messages, parts, members, blocks, rows or lines."`
	Total   int     `json:"total,omitempty" doc:"How many of that unit."`
	Width   int     `json:"width,omitempty" doc:"Pixels."`
	Height  int     `json:"height,omitempty" doc:"Pixels."`
	Seconds float64 `json:"seconds,omitempty"`
}

// A Span is a part of the text with an address of its own, such as a page, a line, or a
// row of a sheet or of comma-separated values, whose cells are separated by tabs.
type Span struct {
	Address string   `json:"address"`
	Text    string   `json:"text"`
	Marks   [][2]int `json:"marks,omitempty" doc:"The words of the quote: code points, the end excluded."`
	Column  int      `json:"column,omitempty" doc:"The number of its first column, if it is the rest of a record of more than 16 KiB."`
	Layout  []Line   `json:"layout,omitempty" doc:"Where the lines of a page stand, if asked for."`
}

// A Line is where a line of a page stands.
type Line struct {
	From int        `json:"from" doc:"Code points of the text."`
	To   int        `json:"to" doc:"The end, excluded."`
	Box  [4]float64 `json:"box" doc:"x, y, width, height in fractions of the page."`
}

// A Picture is a page or an image that has a picture.
type Picture struct {
	Address string       `json:"address"`
	Path    string       `json:"path,omitempty" doc:"GET it for the picture; side=PIXELS is its largest side."`
	Width   float64      `json:"width,omitempty" doc:"Of a page in points, of an image in pixels."`
	Height  float64      `json:"height,omitempty"`
	Marks   [][4]float64 `json:"marks,omitempty" doc:"The words of the quote: x, y, width, height in fractions."`

	// Pinned is Address with the version of the source that the view is of, so that its
	// picture never changes.
	Pinned string `json:"-"`
}

// A Quote says whether a quote stands at the address, as package verify finds it.
type Quote struct {
	Class       string   `json:"class" enum:"exact,repaired,elsewhere,altered,not_found,unchecked" doc:"Only one that is exact or repaired has marks."`
	Address     string   `json:"address,omitempty" doc:"Where the words, or similar ones, are."`
	Text        string   `json:"text,omitempty" doc:"The words of the source there."`
	Difference  []Change `json:"difference,omitempty" doc:"Of an altered quote."`
	Notes       []string `json:"notes,omitempty"`
	Others      []string `json:"others,omitempty" doc:"Further places."`
	Stale       bool     `json:"stale,omitempty" doc:"The source has changed."`
	OCR         bool     `json:"ocr,omitempty" doc:"The words were recognised in a picture, so they are never exact."`
	Confidence  float64  `json:"confidence,omitempty" doc:"How sure the program is that recognised them, from 0 to 1."`
	Transcribed bool     `json:"transcribed,omitempty" doc:"The text is what a machine heard in a recording."`
	Problem     string   `json:"problem,omitempty" doc:"Why it could not be checked."`
}

// A Change is a difference in words.
type Change struct {
	Quote  string `json:"quote"`
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
}
