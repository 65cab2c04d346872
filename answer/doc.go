// Package answer answers questions with sentences of the sources, or says that
// they have no answer.
//
// An extractive answer is sentences word for word, each with its address and a
// verdict of package verify. An abstractive one is written by a model that the
// host configures: each of its sentences names the words of a source that bear
// it, these are held to the source, and a sentence that says more than they do
// is marked as unsupported or left out.
//
// Passages are found as package search finds them, so that a source that changed
// or is gone is never quoted. What a question asks for must stand in a passage,
// above all its rarest words; else nothing is found, which is an answer too.
package answer
