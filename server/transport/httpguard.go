package transport

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// An originGuard refuses requests that a web page of another site made, and
// requests that reach this machine by the name of another machine (DNS
// rebinding). It checks every method and path.
type originGuard struct {
	hosts   []string // in lower case; nil means any, except on a loopback address
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

// check returns the reason for refusing a request, or "". The handler may have pages for
// people.
func (g *originGuard) check(r *http.Request, hasPages bool) string {
	if !g.hostAllowed(r) {
		return "the Host header does not name this server; a name other than localhost must be one of the hosts in its configuration"
	}
	switch origin, state := g.origin(r); {
	case state == originListed:
		return ""
	case state == originForeign:
		return "the Origin header names another site; it must be one of the origins in the configuration of the server"
	case origin == "" && isNavigation(r, hasPages):
		return ""
	case !isSameSite(r):
		return "the request comes from a page of another site"
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
// an unknown one.
func reachedByLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || local.IP.IsLoopback()
}

// The kinds of Origin headers of a request.
const (
	originOwn     = iota // no header, or the server's own origin
	originListed         // may call
	originForeign        // any other, including "null" and malformed ones
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
// Host header. The scheme may differ, as a proxy may terminate TLS.
func isOwnOrigin(canonical, host string) bool {
	scheme, authority, _ := strings.Cut(canonical, "://")
	name, port, ok := splitHost(host)
	return ok && authority == joinHost(scheme, name, port)
}

// canonicalOrigin returns an origin in lower case and without a default port. It
// reports false unless origin is a scheme, a host and an optional port.
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

// joinHost joins a host and a port, and leaves out the default port of the
// scheme.
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

// splitHost splits a host and an optional port; the host is in lower case, an
// IPv6 address without its brackets.
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

// isNotInHost reports whether r cannot be in a host name. Underscores are
// allowed, as some servers have them in their names.
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

// isSameSite reports whether, according to the browser, a page of the server's
// own origin or the user made the request. Without such a header it is true.
// Another port of this machine is the same site but another origin, so it does
// not count.
func isSameSite(r *http.Request) bool {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return false
		}
	}
	return true
}

// isNavigation reports whether a person follows a link to evidence or to a page. The
// page with the link cannot see the response.
func isNavigation(r *http.Request, hasPages bool) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		(strings.HasPrefix(r.URL.Path, evidencePath) || hasPages && strings.HasPrefix(r.URL.Path, ViewPath)) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// allowOrigin lets the browser show the answer to a page of a listed origin. It
// reports whether the request was only a preflight, which is then answered.
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
	header.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, WWW-Authenticate, X-Request-Id, ETag, Accept-Ranges, Content-Range, Content-Disposition")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Add("Vary", "Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
	header.Set("Access-Control-Allow-Headers", strings.Join(allowedHeaders(r), ", "))
	header.Set("Access-Control-Max-Age", "600") // seconds
	w.WriteHeader(http.StatusNoContent)
	return true
}

// allowedHeaders returns the headers that a page may send: those that clients
// need, and the protocol's headers among those that the page asks for.
func allowedHeaders(r *http.Request) []string {
	allowed := []string{"Accept", "Authorization", "Content-Type", "If-None-Match", "If-Range", "Last-Event-ID", "Range", "X-Request-Id"}
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
