package search

import (
	"time"

	"github.com/citekit/citekit/search/internal/index"
)

// Ext is the extension of the names of files of an index, which the workspace keeps
// as evidence.
const Ext = index.Ext

// A Syntax says how a query is read. Without one, a query reads as an expression if all
// of it does: it has a quoted phrase, a "-word", a "head*" or a "title:word", and beside
// these at most eight words, of which none is a function word ("what", "the", AND) or
// ends in a punctuation sign. A minus before a number or a single letter, as in -40 and
// -s, does not read as an order. Any other query is a question.
type Syntax = index.Syntax

// The syntaxes.
const (
	Expression = index.Expression // quotes, "-", "*" and "title:" are orders
	Question   = index.Question   // all words are just words, and signs are ignored; a quoted phrase counts more
)

// Filters restrict results. A result must pass all fields that are set; of a list it
// must match one value. Case matters only in Resources and Path. Resources and Without
// are ids of resources, Modalities those of results, Types those of nodes, Authors and
// Labels those of sources. Sources are ids, or paths as Path has them; Forms are
// modalities, or extensions of sources such as "pdf". After and Before bound the time of creation, both included.
// Path is the path of a source or of a folder, or a pattern, in which "*", "?" and
// "[a-z]" match characters within one name, and "**" any number of folders.
type Filters = index.Filters

// A Word is a word of a text: its Text as written, its Terms in the form they have in
// the index, and how many Entries have it.
type Word = index.Word

// Stats are counts of an index: its Resources and Entries, the Segments that hold
// them and their Bytes, and the Outdated and Lost among them.
type Stats = index.Stats

// ParseTime reads a bound of [Filters]: a time in ISO 8601, or a day, which stands for its
// beginning, or as the last for its last second. "" is the zero time. The error is that of
// [time.Parse].
func ParseTime(text string, last bool) (time.Time, error) { return index.ParseTime(text, last) }

// An Entry is what [Filters.Match] looks at, as the index has it of a passage or a node:
// Node, Type, Modality, Title, Path, Summary, Text, Created, Authors, Labels and
// SourcePath are compared or searched, Location and Ordinal are not.
type Entry = index.Entry
