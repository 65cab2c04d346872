// Package llm maps sources with a language model.
//
// A [Mapper] asks a [Model] for the structure of a source and checks the answer
// against the source: every location must lie inside it. Nodes outside the
// source are sent back once for correction. Nodes that are still outside are
// left out and counted; locations are never adjusted. An [Enricher] keeps the
// map that another mapper made, and lets the model add titles and summaries to
// it.
//
// A [Gemini] and an [OpenAI] are models on servers. A [Command] is a mapper that runs
// any program. Only the Model that you pass to New uses the network, when it answers a
// request.
//
// # What a model sees
//
// A model that takes media, a [MediaModel], gets the source itself. Any other
// model gets the text, with the number of every line or page, or the time of
// every run of words, before each. A long text is mapped in parts, and the
// parts are joined.
//
// # Trust
//
// A source is data and may hold instructions. It stands apart from our
// instructions, in an element whose name depends on all of the text in it, so
// that no text inside can close it. The answer is bound to a schema. Nothing in
// an answer is used except titles, summaries, words for types, and places that
// the source has.
package llm
