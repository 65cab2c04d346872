// Package briefing gathers the information that an agent needs for a task: the
// most relevant passages of all resources, within a number of tokens, each with
// its address.
//
// Passages are found by package search, so a source that changed or is gone is
// never quoted. Text that occurs in several places is given once, and new
// information is preferred to repetition. Neighbouring passages of one node
// become one piece.
//
// The texts of sources are data: in [Briefing.Content] each is in a fence that
// nothing in the text can close.
package briefing
