package viewer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/server/transport"
)

//go:embed assets
var embedded embed.FS

// Paths below /view/ that are not pages.
const (
	assetsPath  = transport.ViewPath + "-/assets/"
	sessionPath = transport.ViewPath + "-/session"
	indexName   = "index.html"
)

// policy is the content security policy of the pages: they load nothing from elsewhere,
// and run no script that is not a file of theirs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Pages are the pages of a server, and the sessions of their browsers. They hold no
// content: that comes from the JSON interface, with its authentication. Make one with
// [NewPages] for each [transport.Handler]; it is a [transport.View].
type Pages struct {
	opts     Options
	sessions *sessions
	index    *asset // with its paths
}

var _ transport.View = (*Pages)(nil)

// NewPages returns the pages for [transport.HandlerOptions.View]. A nil opts means the
// defaults; Key and Handler of it are not used.
func NewPages(opts *Options) *Pages {
	p := &Pages{opts: *cmp.Or(opts, new(Options))}
	p.sessions = newSessions(p.opts.Sessions)
	p.index = assets().byName[indexName]
	if p.opts.Path != "" {
		p.index = newAsset(indexName, bytes.ReplaceAll(p.index.plain, []byte(assetsPath), []byte((&url.URL{Path: p.opts.Path}).EscapedPath()+assetsPath)))
	}
	return p
}

// Invite returns a token that begins one session of a browser with a token of the server,
// within 15 minutes: see [SignInLink]. Of such tokens the last 100 work.
func (p *Pages) Invite(token string) string { return p.sessions.invite(token) }

// SignInLink returns a link to a page that begins a session with a token of
// [Pages.Invite]. The token is in the fragment, which browsers send to nobody.
func SignInLink(link, oneTime string) string { return link + "#token=" + oneTime }

// Authorize implements [transport.View]: the request of a session gets the token of its
// caller, unless it has one, or a page of another site made it.
func (p *Pages) Authorize(r *http.Request) *http.Request {
	if len(r.Header["Authorization"]) > 0 || !isOwn(r) {
		return r
	}
	token := p.sessions.token(r.Context(), p.sessionID(r))
	if token == "" {
		return r
	}
	authorized := *r
	authorized.Header = r.Header.Clone()
	authorized.Header["Authorization"] = []string{"Bearer " + token}
	authorized.Header.Del("Cookie")
	return &authorized
}

// Link implements [transport.View].
func (p *Pages) Link(address, quote string) string {
	if p.opts.BaseURL == "" {
		return ""
	}
	return Link(p.opts.BaseURL, address, quote)
}

// Pages implements [transport.View].
func (p *Pages) Pages(authenticate func(http.Handler) http.Handler, anonymous bool) http.Handler {
	if authenticate == nil {
		authenticate = func(next http.Handler) http.Handler { return next }
	}
	door := &door{pages: p, authenticate: authenticate, needed: !anonymous}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		path := r.URL.EscapedPath()
		if path == sessionPath {
			door.ServeHTTP(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "pages answer GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		name, isAsset := strings.CutPrefix(path, assetsPath)
		early := ""
		if !isAsset {
			name = indexName
			early = p.early(r, door.needed)
		}
		files := assets()
		name, kept := strings.CutPrefix(name, files.version+"/")
		a := files.byName[name]
		if name == indexName {
			a = p.index
		}
		if a == nil {
			header.Set("Cache-Control", "no-store")
			http.Error(w, "there is no such file", http.StatusNotFound)
			return
		}
		if early != "" {
			header.Set("Link", early)
			linked := *a
			linked.tag += "-early" // a browser keeps the head with the file
			a = &linked
		}
		a.serve(w, r, kept)
	})
}

// mostEarly is the length of the longest path that a page asks for by GET; see api.js.
const mostEarly = 2000

// early returns a header that has the browser ask for what the page of an address shows
// before its scripts are there, or "" if there is none or the answer would be no use: one
// who is signed out, and may be about to sign in, is refused. A browser that comes from
// another site does not tell whether it is signed in.
func (p *Pages) early(r *http.Request, needed bool) string {
	if site := r.Header.Get("Sec-Fetch-Site"); needed && site != "cross-site" && site != "same-site" && len(p.Authorize(r).Header["Authorization"]) == 0 {
		return ""
	}
	rest, _ := strings.CutPrefix(r.URL.EscapedPath(), transport.ViewPath)
	address, err := url.PathUnescape(rest)
	query := r.URL.Query()
	quote, workspace := query.Get("q"), query.Get("w")
	if err != nil || address == "" || strings.HasPrefix(rest, "-/") || strings.Contains(address, ":/") && !strings.Contains(address, "://") || !utf8.ValidString(address+quote+workspace) {
		return ""
	}
	// Byte by byte what api.js makes, as the browser compares them.
	path := "v1/view/" + asComponent.Replace(url.QueryEscape(address))
	separator := "?"
	for _, one := range [][2]string{{"workspaceId", workspace}, {"quote", quote}} {
		if one[1] != "" {
			path += separator + one[0] + "=" + asForm.Replace(url.QueryEscape(one[1]))
			separator = "&"
		}
	}
	if len(path) > mostEarly {
		return ""
	}
	return "<" + (&url.URL{Path: p.opts.Path}).EscapedPath() + "/" + path + ">; rel=preload; as=fetch; crossorigin"
}

// What the functions of browsers write otherwise than [url.QueryEscape].
var (
	asComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*") // encodeURIComponent
	asForm      = strings.NewReplacer("%2A", "*", "~", "%7E")                                                 // URLSearchParams
)

// A door begins, tells about and ends sessions.
type door struct {
	pages        *Pages
	authenticate func(http.Handler) http.Handler
	needed       bool // callers need a token
}

// A sessionState is what a page learns about its session.
type sessionState struct {
	SignedIn   bool     `json:"signedIn"`
	Needed     bool     `json:"needed"`
	Workspaces []string `json:"workspaces"`
	Version    string   `json:"version,omitempty"`
}

// ServeHTTP implements [http.Handler].
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		d.tell(w, r)
	case http.MethodPost:
		d.begin(w, r)
	case http.MethodDelete:
		if !isOwn(r) {
			refuseForeign(w, r)
			return
		}
		d.pages.sessions.end(r.Context(), d.pages.sessionID(r))
		d.pages.setCookie(w, r, "")
		d.write(w, &sessionState{Needed: d.needed})
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, DELETE")
		transport.NewProblem("INVALID_INPUT", http.StatusMethodNotAllowed, "a session answers GET, HEAD, POST and DELETE").Write(w, r)
	}
}

// refuseForeign answers a request of another page.
func refuseForeign(w http.ResponseWriter, r *http.Request) {
	transport.NewProblem("FORBIDDEN", 0, "the request does not come from a page of this server").Write(w, r)
}

// tell answers whether a browser is signed in.
func (d *door) tell(w http.ResponseWriter, r *http.Request) {
	authorized := d.pages.Authorize(r)
	signedOut := func() { d.write(w, &sessionState{Needed: d.needed}) }
	if d.needed && len(authorized.Header["Authorization"]) == 0 {
		signedOut()
		return
	}
	refused := &recorder{header: make(http.Header)}
	d.identify(w, refused, authorized, nil)
	switch refused.status {
	case 0:
	case http.StatusUnauthorized, http.StatusForbidden: // the token was revoked, or has expired
		if id := d.pages.sessionID(r); id != "" {
			d.pages.sessions.end(r.Context(), id)
			d.pages.setCookie(w, r, "")
		}
		signedOut()
	default:
		refused.writeTo(w)
	}
}

// begin begins a session with the token of a caller, or with a one-time token.
func (d *door) begin(w http.ResponseWriter, r *http.Request) {
	if !d.needed {
		d.tell(w, r)
		return
	}
	if len(r.Header["Origin"]) > 0 && !isOwn(r) { // a session is for these pages alone
		refuseForeign(w, r)
		return
	}
	if len(r.Header["Authorization"]) == 0 {
		var body struct{ Token string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Token == "" {
			transport.NewProblem("INVALID_INPUT", 0, `send the header Authorization: Bearer KEY, or {"token": "…"} with the token of a link`).Write(w, r)
			return
		}
		token := d.pages.sessions.redeem(body.Token)
		if token == "" {
			transport.NewProblem("unauthenticated", http.StatusUnauthorized, "the link was used before or has expired; make a new one").Write(w, r)
			return
		}
		r = r.Clone(r.Context())
		r.Header["Authorization"] = []string{"Bearer " + token}
	}
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	before := d.pages.sessionID(r)
	refused := &recorder{header: make(http.Header)}
	d.identify(w, refused, r, func(caller string) {
		d.pages.sessions.end(r.Context(), before)
		d.pages.setCookie(w, r, d.pages.sessions.begin(r.Context(), token, caller))
	})
	if refused.status != 0 {
		refused.writeTo(w)
	}
}

// identify answers the state of the session of a caller with a token. A refusal is written
// to refused. Before the answer, signedIn is called with who it is; it may be nil.
func (d *door) identify(w http.ResponseWriter, refused *recorder, r *http.Request, signedIn func(caller string)) {
	d.authenticate(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		info := auth.TokenInfoFromContext(r.Context())
		state := &sessionState{SignedIn: true, Needed: d.needed, Version: d.pages.opts.Version}
		caller := ""
		if info != nil {
			caller = info.UserID
		}
		if grant, _ := mcpcall.GrantOf(info); grant != nil {
			state.Workspaces = grant.Workspaces
		}
		if signedIn != nil {
			signedIn(caller)
		}
		d.write(w, state)
	})).ServeHTTP(refused, r)
}

func (d *door) write(w http.ResponseWriter, state *sessionState) {
	if state.Workspaces == nil {
		state.Workspaces = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(state) // or the client is gone
}

// A recorder keeps the answer of a refused request.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = cmp.Or(r.status, status) }

func (r *recorder) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(data)
}

// writeTo writes the answer.
func (r *recorder) writeTo(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body.Bytes()) // or the client is gone
}

// An asset is a file of the pages.
type asset struct {
	mediaType    string
	plain, small []byte // small is compressed; nil if that is not worth it
	tag          string // SHA-256 of plain
}

// assetFiles are the files of the pages.
type assetFiles struct {
	byName  map[string]*asset
	version string // of all of them, as 16 hex digits
}

// assets returns the files of the pages. The page itself asks for the others below their
// version, where they never change, so that a browser asks for them once.
var assets = sync.OnceValue(func() *assetFiles {
	plain, hash := make(map[string][]byte), sha256.New()
	err := fs.WalkDir(embedded, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(name)
		fmt.Fprintf(hash, "%s %d\n%s", name, len(data), data)
		plain[strings.TrimPrefix(name, "assets/")] = data
		return err
	})
	all := &assetFiles{byName: make(map[string]*asset), version: hex.EncodeToString(hash.Sum(nil)[:8])}
	for name, data := range plain {
		if name == indexName {
			data = bytes.ReplaceAll(data, []byte(assetsPath), []byte(assetsPath+all.version+"/"))
		}
		all.byName[name] = newAsset(name, data)
	}
	if err != nil {
		panic(err) // cannot happen: the files are in the program
	}
	return all
})

// mediaTypes are those of files, whatever the machine says.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
}

func newAsset(name string, data []byte) *asset {
	hash := sha256.Sum256(data)
	a := &asset{mediaType: cmp.Or(mediaTypes[path.Ext(name)], "text/plain; charset=utf-8"), plain: data, tag: hex.EncodeToString(hash[:])}
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // cannot happen: it is written to memory
	}
	if small.Len() < len(data)*9/10 {
		a.small = small.Bytes()
	}
	return a
}

// serve answers GET and HEAD of a file. Unless its path has the version, browsers ask
// each time whether it has changed.
func (a *asset) serve(w http.ResponseWriter, r *http.Request, versioned bool) {
	header, data, tag := w.Header(), a.plain, a.tag
	header.Set("Content-Type", a.mediaType)
	header.Set("Cache-Control", "no-cache")
	if versioned {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if a.small != nil {
		header.Set("Vary", "Accept-Encoding")
		if takesGzip(r) {
			data, tag = a.small, a.tag+"-gzip"
			header.Set("Content-Encoding", "gzip")
		}
	}
	header.Set("ETag", fmt.Sprintf("%q", tag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// takesGzip reports whether a client takes compressed answers.
func takesGzip(r *http.Request) bool {
	for _, line := range r.Header["Accept-Encoding"] {
		for one := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				weight = strings.ReplaceAll(weight, " ", "")
				return weight == "" || strings.HasPrefix(weight, "q=") && strings.Trim(weight[2:], "0.") != ""
			}
		}
	}
	return false
}
