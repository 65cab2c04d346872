// Package briefing gathers what an agent needs to know for a task: the passages
// of all resources that say most about it, within a number of tokens, each with
// its address.
//
// Passages are found as package search finds them, so that a source that changed
// or is gone is never quoted. What stands in several places is given once, and
// what says something new is preferred to more of the same. Neighbouring
// passages of one node become one piece.
//
// The texts of sources are data: in [Briefing.Content] each stands in a fence
// that nothing in it can close.
package briefing
