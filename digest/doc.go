// Package digest tells an agent what there is to cite: the maps of several
// resources as compact text, in as much detail as fits into a number of tokens.
//
// It needs maps only, and opens no source.
package digest
