// Package digest lists for an agent what it can cite: the maps of several
// resources as compact text, in as much detail as fits into a number of tokens.
//
// It needs only maps, and opens no source.
package digest
