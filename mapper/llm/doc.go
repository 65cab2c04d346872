// Package llm maps sources with a language model, for those who want one.
//
// A [Mapper] asks a [Model] for the structure of a source and holds the answer
// to the source: every location must lie inside it. What does not is sent back
// once to be put right, and what is still wrong then is left out and counted.
// Nothing is moved to fit. An [Enricher] keeps the map that another mapper
// made, and lets the model add titles and summaries to it.
//
// Packages gemini and openai, below this one, have models; package command has
// a mapper that is any program. A network is used only by a model that somebody
// made, and only when it is asked.
//
// # What a model sees
//
// A model that takes media, a [MediaModel], gets the source itself. Any other
// gets its text, with the number of every line or page, or the time of every
// run of words, before it. A long text is mapped in parts, and the parts are
// joined.
//
// # Trust
//
// A source is data and may hold instructions. It stands apart from ours, in an
// element whose name depends on all of the text in it and so cannot be closed
// from inside; the answer is bound to a schema; and nothing in an answer is
// used but titles, summaries, words for types, and places that the source has.
package llm
