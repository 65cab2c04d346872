package citekit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
		if name := slug(text); name != "" {
			return name
		}
	}
	return "node"
}

// slug returns the letters and digits of text in lower case, and one hyphen
// for every run of anything else between them.
func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.N, unicode.M) {
			gap = true
			continue
		}
		r = unicode.ToLower(r)
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		if b.Len()+utf8.RuneLen(r) > maxNodeName {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), "-")
}
