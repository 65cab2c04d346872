package mcpadapter

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// An originGuard refuses requests that a web page of another site made, and
// those that reach a server of this machine by another machine's name (DNS
// rebinding). It looks at every method and path.
type originGuard struct {
	hosts   []string // in small letters; nil means any, but on a loopback address
	origins []string // as canonicalOrigin returns them
}

func newOriginGuard(hosts, origins []string) *originGuard {
	g := &originGuard{}
	for _, host := range hosts {
		g.hosts = append(g.hosts, strings.ToLower(host))
	}
	for _, origin := range origins {
		if canonical, ok := canonicalOrigin(origin); ok {
			g.origins = append(g.origins, canonical)
		}
	}
	return g
}

// check returns why a request is refused, or "".
func (g *originGuard) check(r *http.Request) string {
	if !g.hostAllowed(r) {
		return "the Host header does not name this server; a name other than localhost must be among the hosts that it is configured for"
	}
	switch origin, state := g.origin(r); {
	case state == originListed:
		return ""
	case state == originForeign:
		return "the Origin header names another site; it must be among the origins that the server is configured for"
	case origin == "" && isNavigation(r):
		return ""
	case !isSameSite(r):
		return "a page of another site made the request"
	}
	return ""
}

func (g *originGuard) hostAllowed(r *http.Request) bool {
	host, _, ok := splitHost(r.Host)
	switch {
	case !ok:
		return false
	case isLoopbackName(host) || slices.Contains(g.hosts, host):
		return true
	case len(g.hosts) > 0:
		return false
	}
	return !reachedByLoopback(r)
}

// reachedByLoopback reports whether a request came to a loopback address, or to
// one that is not known.
func reachedByLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || local.IP.IsLoopback()
}

// What the Origin header of a request says.
const (
	originOwn     = iota // there is none, or it is the server's own
	originListed         // it is among those that may call
	originForeign        // any other, "null" and malformed ones too
)

func (g *originGuard) origin(r *http.Request) (origin string, state int) {
	values := r.Header["Origin"]
	if len(values) == 0 {
		return "", originOwn
	}
	if len(values) > 1 {
		return "", originForeign
	}
	canonical, ok := canonicalOrigin(values[0])
	switch {
	case !ok:
		return "", originForeign
	case slices.Contains(g.origins, canonical):
		return values[0], originListed
	case isOwnOrigin(canonical, r.Host):
		return values[0], originOwn
	}
	return "", originForeign
}

// isOwnOrigin reports whether a canonical origin names the host and port of a
// Host header. The scheme may differ: what is before the server may speak TLS.
func isOwnOrigin(canonical, host string) bool {
	scheme, authority, _ := strings.Cut(canonical, "://")
	name, port, ok := splitHost(host)
	return ok && authority == joinHost(scheme, name, port)
}

// canonicalOrigin returns an origin in small letters and without a default
// port. It reports false for what is not a scheme, a host and maybe a port.
func canonicalOrigin(origin string) (string, bool) {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		!strings.EqualFold(origin, u.Scheme+"://"+u.Host) {
		return "", false
	}
	host, port, ok := splitHost(u.Host)
	if !ok {
		return "", false
	}
	return u.Scheme + "://" + joinHost(u.Scheme, host, port), true
}

// joinHost returns a host and a port, without the port that is the default of
// the scheme.
func joinHost(scheme, host, port string) string {
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		return host
	}
	return host + ":" + port
}

// splitHost splits a host and an optional port; the host is in small letters
// and an IPv6 address without its brackets.
func splitHost(hostport string) (host, port string, ok bool) {
	host = hostport
	if i := strings.LastIndexByte(hostport, ':'); i > strings.LastIndexByte(hostport, ']') {
		host, port = hostport[:i], hostport[i+1:]
		if port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return "", "", false
		}
	}
	if inner, found := strings.CutPrefix(host, "["); found {
		inner, found = strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return strings.ToLower(inner), port, found && err == nil && address.Is6() && address.Zone() == ""
	}
	return strings.ToLower(host), port, host != "" && !strings.ContainsFunc(host, isNotInHost)
}

// isNotInHost reports whether no host name has the letter. A server may have a
// name with an underscore.
func isNotInHost(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_')
}

// isLoopbackName reports whether a host is localhost or a loopback address.
func isLoopbackName(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// isSameSite reports whether a browser says nothing else than that a page of
// the server's own, or nobody, made the request. Another port of this machine
// is of the same site, and not of the same origin.
func isSameSite(r *http.Request) bool {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return false
		}
	}
	return true
}

// isNavigation reports whether a person follows a link to evidence: the page
// that has the link sees nothing of what comes.
func isNavigation(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.HasPrefix(r.URL.Path, evidencePath) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// allowOrigin tells the browser of a listed origin that its page may see the
// answer. It reports whether the request was only asked for that, and is
// answered.
func (g *originGuard) allowOrigin(w http.ResponseWriter, r *http.Request) (answered bool) {
	header := w.Header()
	if len(g.origins) > 0 {
		header.Add("Vary", "Origin")
	}
	origin, state := g.origin(r)
	if state != originListed {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Add("Vary", "Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	header.Set("Access-Control-Allow-Headers", strings.Join(allowedHeaders(r), ", "))
	header.Set("Access-Control-Max-Age", "600") // seconds
	w.WriteHeader(http.StatusNoContent)
	return true
}

// allowedHeaders returns the headers that a page may send: those that clients
// need, and of those that it asks for the protocol's.
func allowedHeaders(r *http.Request) []string {
	allowed := []string{"Accept", "Authorization", "Content-Type", "Last-Event-ID", "Range"}
	for _, line := range r.Header["Access-Control-Request-Headers"] {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			isProtocol := strings.HasPrefix(name, "mcp-") || strings.HasPrefix(name, "x-mcp-")
			if isProtocol && len(name) <= 64 && !strings.ContainsFunc(name, isNotInHost) {
				allowed = append(allowed, name)
			}
		}
	}
	return allowed
}
