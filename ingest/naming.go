package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

const (
	maxNodeName = 48  // bytes of the part of an id that is made from a title
	maxNodeID   = 240 // bytes of an id
)

// NameNodes gives every node under nodes its id: the id of its parent, a dot,
// and its own name. The name is the node's present ID, which may already begin
// with the parent's. If the node has no ID, the name is made from its title, in
// lower case with hyphens in place of all characters except letters and digits;
// without a title, it is the type. Siblings with the same name are numbered
// from the second: "notes", "notes-2".
//
// A name thus depends only on the titles of the node and its ancestors, and on
// earlier siblings with the same name. If an id would have more than 240 bytes,
// a digest stands for the parent's.
func NameNodes(nodes []*citekit.Node) {
	taken := make(map[string]bool)
	nameNodes("", nodes, taken, make(map[string]int))
}

func nameNodes(parent string, nodes []*citekit.Node, taken map[string]bool, last map[string]int) {
	for _, n := range nodes {
		n.ID = freeID(childID(parent, n), taken, last)
		nameNodes(n.ID, n.Children, taken, last)
	}
}

// freeID returns id, or id with the lowest free number from 2.
func freeID(id string, taken map[string]bool, last map[string]int) string {
	free := id
	if taken[id] {
		number := max(last[id], 1)
		for taken[free] {
			number++
			free = id + "-" + strconv.Itoa(number)
		}
		last[id] = number
	}
	taken[free] = true
	return free
}

func childID(parent string, n *citekit.Node) string {
	name := strings.Trim(cleanID(n.ID), ".")
	if parent == "" {
		if name == "" {
			name = nodeName(n)
		}
		return cutID(name)
	}
	if rest, ok := strings.CutPrefix(name, parent+"."); ok {
		name = rest
	}
	if name == "" {
		name = nodeName(n)
	}
	if id := parent + "." + name; len(id) <= maxNodeID {
		return id
	}
	return cutID(shortHash(parent) + "." + name)
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

func cutID(id string) string {
	if len(id) <= maxNodeID {
		return id
	}
	return plain.Cut(id, maxNodeID-9) + "-" + shortHash(id)
}

// cleanID returns id without the characters that a person cannot type in an id.
func cleanID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u200c', r == '\u200d': // joiners, which titles keep
			return -1
		case r == utf8.RuneError, unicode.IsSpace(r), !message.IsPlain(string(r)):
			return '-'
		}
		return r
	}, id)
}

// nodeName makes a name from the title of a node, or from its type.
func nodeName(n *citekit.Node) string {
	for _, text := range []string{n.Title, n.Type} {
		if name := plain.Slug(text, "", maxNodeName); name != "" {
			return name
		}
	}
	return "node"
}

// ResourceIDFor returns a resource id made from the name of a file: its base
// name without the extension, as a slug. Letters and digits of all scripts are
// in lower case, in Unicode's Normalization Form C. A dot or underscore between
// two of them stays, and anything else between them becomes a hyphen, so "Smith
// (2020).pdf" gives "smith-2020". If nothing is left, the id is "file".
//
// Names that differ only in case or in how letters are composed have the same
// id; the second of such files then gets another one.
func ResourceIDFor(name string) string { return plain.SlugForFile(filepath.ToSlash(name)) }
