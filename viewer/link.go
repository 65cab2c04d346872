package viewer

import (
	"net/url"
	"strings"

	"github.com/citekit/citekit/server/transport"
)

// Link returns the link to the page that shows an address, or another name that resolve
// takes, with the words of a quote marked; "" marks none. Base is where the server is, such
// as https://cite.example, with or without a "/" at its end.
//
// The address stands in the path as it is, except that bytes outside
// [A-Za-z0-9-._~:/=,!'()*;@$+&] are percent-encoded. So is a "/" that browsers, proxies or
// muxes would take out or follow: one beside an empty part, "." or "..", or behind a "-"
// that begins the address, but not those of "://". To read an address from a link, take
// what follows /view/ and decode it once. No link leads to the words "." and "..", which
// no resource has as its id.
func Link(base, address, quote string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(base, "/"))
	b.WriteString(transport.ViewPath)
	rest := address
	if scheme, after, ok := strings.Cut(address, "://"); ok && scheme != "" && !strings.Contains(scheme, "/") {
		if first, _, _ := strings.Cut(after, "/"); !alters(first) {
			b.WriteString(escaped(scheme))
			b.WriteString("://")
			rest = after
		}
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		if i > 0 {
			if alters(parts[i-1]) || alters(part) || i == 1 && rest == address && parts[0] == "-" {
				b.WriteString("%2F")
			} else {
				b.WriteByte('/')
			}
		}
		b.WriteString(escaped(part))
	}
	if words := strings.Join(strings.Fields(quote), " "); words != "" { // lines are layout
		b.WriteString("?q=")
		b.WriteString(url.QueryEscape(words))
	}
	return b.String()
}

// InWorkspace returns a link of [Link] to a page of a workspace, by its name.
func InWorkspace(link, name string) string {
	separator := "?"
	if strings.Contains(link, "?") {
		separator = "&"
	}
	return link + separator + "w=" + url.QueryEscape(name)
}

// alters reports whether a part of a path would be taken out, with what stands before it.
func alters(part string) bool { return part == "" || part == "." || part == ".." }

// escaped returns a part of a path with percent-encoding where a link needs it.
func escaped(part string) string {
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		c := part[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~:=,!'()*;@$+&", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[c>>4])
		b.WriteByte("0123456789ABCDEF"[c&15])
	}
	return b.String()
}
