// Package code finds the types, functions and methods in source code, with
// the exact lines each of them takes, by one small scanner per language.
//
// A scanner reads the source once. It knows what its language lets hide a
// bracket or a keyword (strings, comments, regular expressions, here
// documents), follows the brackets or the indentation, and looks closely only
// at what may begin a declaration. It needs no grammar and no valid program:
// what it does not understand it passes over.
//
// The lines of a symbol are those of its declaration, from its first modifier,
// decorator, attribute or annotation to the bracket or statement that ends it.
// The comment that documents it stands before that, or in it, as the language
// has it; its first sentences are the summary.
package code

import (
	"bytes"
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	maxDepth   = 64      // levels of symbols in symbols
	maxTitle   = 300     // bytes
	maxSummary = 300     // bytes
	maxSymbols = 500_000 // found in one source; with more, none are kept

	// pollBytes is how much of a source a scanner reads between two looks at
	// its context.
	pollBytes = 1 << 16
)

// A symbol is a declaration that a scanner has found.
type symbol struct {
	kind string // type of the node, such as "function"

	// name is the bare name, which becomes the id of the node. A declaration
	// without a name has "".
	name string

	// title is the name as the language writes it, with what it belongs to
	// where it stands apart from that. "" stands for name.
	title string

	// start and end are the bytes of the declaration, half-open.
	start, end int

	// doc is the text of the comment that documents the symbol, without its
	// markers; see commentText.
	doc string
}

// An outline is what a scanner finds in a source. The symbols may come in any
// order: one lies in another if its bytes do.
type outline struct {
	symbols []symbol
	doc     string // text of the comment that documents the whole file
}

// Map returns the symbols of src, which is UTF-8 with every line ended by
// "\n" (the last may lack it). The nodes lie in one another as the declarations
// do, and each location is a run of lines. A method declared outside its type,
// as in Go, is a node of its own beside it, titled with the type and with the
// id "Type-Method". A declaration that others of the same name follow has its
// id numbered by [ingest.NameNodes].
//
// Metadata has "language" and, where a comment documents the whole file, its
// first sentences as "summary". A source without symbols has no nodes. An
// unknown language is an error matching [citekit.ErrSyntax].
func Map(ctx context.Context, lang Language, src []byte) (*citekit.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff")) // no line lies before it
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

// A poll tells a scanner when to give up.
type poll struct {
	ctx context.Context
	at  int // where it was asked last
}

// stop reports whether a scanner that has come to at shall stop: its context
// is done, or it has found more symbols than are kept.
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
