// Package code finds the types, functions and methods in source code, with the
// exact lines of each. It has one small scanner per language.
//
// A scanner reads the source once. It knows where its language can hide a bracket
// or a keyword (strings, comments, regular expressions, here documents), follows
// the brackets or the indentation, and looks closely only at possible
// declarations. It needs neither a grammar nor a valid program: it skips what it
// does not understand.
//
// The lines of a symbol are those of its declaration, from its first modifier,
// decorator, attribute or annotation to the bracket or statement that ends it. The
// comment that documents it stands before or in the declaration, depending on the
// language; its first sentences are the summary.
package code

import (
	"bytes"
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	maxDepth   = 64  // levels of symbols in symbols
	maxTitle   = 300 // bytes
	maxSummary = 300 // bytes
	// pollBytes is how much of a source a scanner reads between checks of its
	// context.
	pollBytes = 1 << 16
)

// maxSymbols is how many symbols may be found in one source; above this, none are
// kept. Tests lower it.
var maxSymbols = 500_000

// A symbol is a declaration that a scanner has found.
type symbol struct {
	kind string // type of the node, such as "function"

	// name is the bare name, which becomes the id of the node. A declaration
	// without a name has "".
	name string

	// title is the name as the language writes it, qualified if the symbol is
	// declared outside its parent. "" means the same as name.
	title string

	// start and end are the bytes of the declaration, half-open.
	start, end int

	// doc is the text of the comment that documents the symbol, without its
	// markers; see commentText.
	doc string
}

// An outline is what a scanner finds in a source. The symbols may come in any
// order. A symbol is inside another if its bytes are.
type outline struct {
	symbols []symbol
	doc     string // text of the comment that documents the whole file
}

// Map returns the symbols of src, which is UTF-8 with every line ended by "\n"
// (the last may lack it). The nodes nest as the declarations do, and each location
// is a run of lines. A method declared outside its type, as in Go, is a separate
// node beside it, titled with the type and with the id "Type-Method". If several
// declarations share a name, [ingest.NameNodes] numbers their ids.
//
// Metadata has "language". If a comment documents the whole file, its first
// sentences are the "summary". A source without symbols has no nodes. For an
// unknown language the error matches [citekit.ErrSyntax].
func Map(ctx context.Context, lang Language, src []byte) (*citekit.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff")) // it contains no line
	found, err := scan(ctx, lang, src)
	if err != nil {
		return nil, err
	}
	if len(found.symbols) > maxSymbols {
		found.symbols = nil
	}
	structure := &citekit.Draft{
		Nodes:    nodes(src, found.symbols),
		Method:   "symbols",
		Metadata: map[string]any{"language": string(lang)},
	}
	if summary := sentence.Lead(found.doc, maxSummary); summary != "" {
		structure.Metadata["summary"] = summary
	}
	return structure, nil
}

// A poll tells a scanner when to stop.
type poll struct {
	ctx context.Context
	at  int // offset of the latest check
}

// stop reports whether a scanner at offset at must stop: its context is done, or
// it has found more symbols than are kept.
func (p *poll) stop(at int, found *outline) bool {
	if at-p.at < pollBytes {
		return false
	}
	p.at = at
	return p.ctx.Err() != nil || len(found.symbols) > maxSymbols
}

// scan finds the symbols of a source in one of the languages.
func scan(ctx context.Context, lang Language, src []byte) (outline, error) {
	switch lang {
	case Go:
		return mapGo(ctx, src)
	case Python:
		return mapPython(ctx, src)
	case JavaScript, TypeScript, TSX:
		return mapScript(ctx, lang, src)
	case Ruby:
		return mapRuby(ctx, src)
	case PHP:
		return mapPHP(ctx, src)
	case Shell:
		return mapShell(ctx, src)
	case Java:
		return mapJava(ctx, src)
	case C:
		return mapC(ctx, src)
	case CPP:
		return mapCPP(ctx, src)
	case CSharp:
		return mapCSharp(ctx, src)
	case Rust:
		return mapRust(ctx, src)
	case Kotlin:
		return mapKotlin(ctx, src)
	case Swift:
		return mapSwift(ctx, src)
	case SQL:
		return mapSQL(ctx, src)
	}
	return outline{}, fmt.Errorf("language %q is not known: %w", string(lang), citekit.ErrSyntax)
}
