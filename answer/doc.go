// Package answer answers questions with sentences of the sources, or reports
// that the sources have no answer.
//
// An extractive answer consists of sentences of the sources, word for word,
// each with its address and a verdict of package verify. An abstractive answer
// is written by a model that the host configures. Each of its sentences quotes
// the words of a source that support it. The quote is checked against the
// source, and a sentence that says more than its quote is marked as unsupported
// or left out.
//
// Package search finds the passages, so that a changed or missing source is
// never quoted. A passage must have the words of the question, above all its
// rarest words. If none has, Answer.Found is false.
package answer
