package mcpadapter

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// linked are the tools whose answers have links to pages, and the members of their answers
// whose objects have them.
var (
	linked   = []string{"search", "findSimilar", "answer", "verify", "resolve", "getContents"}
	linkedIn = []string{"results", "sentences", "verdicts", "contents"}
)

// maxLinkedQuote is how long a quote in a link may be, in bytes; a longer one is left out.
const maxLinkedQuote = 500

// withLinks returns an answer in which each hit, citation and piece of evidence has the
// link to its page, for a caller over HTTP, which is not nil, of a server that has pages.
func (a *adapter) withLinks(caller *mcpcall.Caller, tool string, data json.RawMessage) json.RawMessage {
	if a.opts.ViewLink == nil || caller == nil || !slices.Contains(linked, tool) {
		return data
	}
	return a.linkIn(data)
}

// linkIn returns an object with the link of its address, and so for the objects in it.
func (a *adapter) linkIn(object json.RawMessage) json.RawMessage {
	list, err := strictjson.Members(object)
	if err != nil {
		return object // cannot happen: it was encoded here
	}
	texts := make(map[string]string)
	for _, m := range list {
		if m.Key == "address" || m.Key == "quote" || m.Key == "text" || m.Key == "verdict" || m.Key == "class" {
			texts[m.Key], _ = strictjson.Unquoted(m.Value) // or it is null
		}
	}
	w := new(strictjson.Writer)
	w.Open()
	for _, m := range list {
		var inner []json.RawMessage
		if slices.Contains(linkedIn, m.Key) && json.Unmarshal(m.Value, &inner) == nil && inner != nil {
			for i := range inner {
				inner[i] = a.linkIn(inner[i])
			}
			w.Value(m.Key, inner)
			continue
		}
		w.Raw(m.Key, m.Value)
		if m.Key == "address" && texts["address"] != "" {
			w.Optional("link", a.opts.ViewLink(texts["address"], quoteOf(texts)))
		}
	}
	w.Close()
	return w.Bytes()
}

// quoteOf returns the quote that stands at the address of an object, or "".
func quoteOf(texts map[string]string) string {
	holds := func(verdict string) bool { return verdict == "exact" || verdict == "repaired" }
	if !holds(texts["verdict"]) && !holds(texts["class"]) {
		return ""
	}
	quote := texts["quote"]
	if quote == "" {
		quote = texts["text"]
	}
	if len(quote) > maxLinkedQuote || !utf8.ValidString(quote) {
		return ""
	}
	return quote
}
