package citekit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/nfc"
)

const (
	maxNodeName = 48  // bytes of the part of an id that is made from a title
	maxNodeID   = 240 // bytes of an id
)

// NameNodes gives every node under nodes its id: the id of its parent, a dot,
// and its own name. The name is the ID the node has, which may already begin
// with the parent's; else one made from its title, in lower case with a
// hyphen for whatever is not a letter or digit; else its type. Siblings of one
// name are numbered from the second: "notes", "notes-2".
//
// A name thus depends on the titles of the node and its ancestors, and on
// earlier siblings of the same name, and on nothing else in the source. Where
// an id would have more than 240 bytes, a digest stands for the parent's.
func NameNodes(nodes []*Node) {
	taken := make(map[string]bool)
	nameNodes("", nodes, taken, make(map[string]int))
}

func nameNodes(parent string, nodes []*Node, taken map[string]bool, last map[string]int) {
	for _, n := range nodes {
		n.ID = freeID(childID(parent, n), taken, last)
		nameNodes(n.ID, n.Children, taken, last)
	}
}

// freeID returns id, or id with the lowest number from 2 that is not taken.
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

func childID(parent string, n *Node) string {
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
	return cutID(digest(parent) + "." + name)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

func cutID(id string) string {
	if len(id) <= maxNodeID {
		return id
	}
	return cutText(id, maxNodeID-9) + "-" + digest(id)
}

// cutText returns the longest start of s that has at most max bytes and ends
// with a whole character.
func cutText(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// cleanID returns id without what an id that can be typed does not have.
func cleanID(id string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsSpace(r) || !isPlainText(string(r)) {
			return '-'
		}
		return r
	}, id)
}

// nodeName makes a name from the title of a node, or from its type.
func nodeName(n *Node) string {
	for _, text := range []string{n.Title, n.Type} {
		if name := slug(text, "", maxNodeName); name != "" {
			return name
		}
	}
	return "node"
}

// slug returns text as a name that is easy to type: its letters and digits in
// lower case, in Normalization Form C, and one hyphen for every run of
// anything else between them. A character of kept stays where it stands alone
// between two of them. What cannot be seen is left out. A name has at most max
// bytes; it is "" if text has neither letter nor digit.
func slug(text, kept string, max int) string {
	var b strings.Builder
	gap := ""
	for _, r := range visible(text) {
		if !isNameRune(r) || unicode.Is(unicode.M, r) && (gap != "" || b.Len() == 0) {
			gap = widen(gap, r, kept)
			continue
		}
		if b.Len() == 0 {
			gap = ""
		}
		r = unicode.ToLower(r)
		if b.Len()+len(gap)+utf8.RuneLen(r) > max {
			break
		}
		b.WriteString(gap)
		b.WriteRune(r)
		gap = ""
	}
	return b.String()
}

// widen returns the gap between two parts of a name once r belongs to it.
func widen(gap string, r rune, kept string) string {
	if gap == "" && strings.ContainsRune(kept, r) {
		return string(r)
	}
	return "-"
}

func isNameRune(r rune) bool {
	return r != utf8.RuneError && unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// visible returns text in Normalization Form C, with ligatures of Latin
// letters written out, and without characters that have no look of their own.
func visible(text string) string {
	return nfc.String(ligatures.Replace(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, text)))
}

var ligatures = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")
