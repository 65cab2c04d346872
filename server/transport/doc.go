// Package transport serves servers of the Model Context Protocol over HTTP and over a
// pair of streams, to clients that may do anything: none can end the process or the
// session of another, take the memory or the places of others, or get what is not its.
//
// A [Handler] serves over HTTP, a [StreamTransport] over standard input and output. Both
// check each message before the SDK sees it. [Tools] says what calls do, a [Gate] decides
// when they may run, and [EvidenceLinks] serve files. The package knows the Library only
// for these links.
//
// What a caller holds (sessions, calls, bodies, answers, connections, subscriptions) is
// counted, so that something is left for others.
//
// # Errors
//
// A fault in the message itself is an error of JSON-RPC, over every transport:
// -32700 for invalid JSON, -32600 for an invalid message, -32601 for an unknown
// method, -32602 for wrong parameters and unknown tools, prompts and resources,
// and -32603 for internal failures. The HTTP status is 400 for the first two; an
// unknown session gets 404 and -32001; the others get 200, or the status that
// version 2026-07-28 of the protocol requires. JSON-RPC ids that would come
// back changed, such as 1.5, are refused.
//
// # Links to evidence
//
// [EvidenceLinks] are links to files of evidence, for callers on other machines.
// Whoever has the link may fetch the file, with ranges, by GET and HEAD; but a
// link given to an authenticated user is refused to a client that authenticates
// as another user. Nothing is served by path. The key of the links is kept in the
// workspace, so servers over one workspace accept each other's links.
//
// # Serving over HTTP
//
// A [Handler] serves clients of all protocol versions at /mcp: version
// 2026-07-28 without sessions, earlier ones with sessions. A header with any
// other version is refused. [Handler.Serve] listens, and shuts down cleanly. A
// program may instead mount the handler on its own server, which must then set
// ReadHeaderTimeout, limit its connections, and call [Handler.Shutdown].
//
// Several servers behind a load balancer answer any request of any client if
// [HandlerOptions.Stateless] is set and they share one workspace. A balancer made
// with net/http/httputil.ReverseProxy must enable full duplex for HTTP/1
// ([http.ResponseController.EnableFullDuplex]); otherwise it may cut off answers
// that come early: see https://go.dev/issue/40747.
//
// Requests with any method are refused if they name a host or an origin that is
// not the server's ([HandlerOptions.Hosts], [HandlerOptions.Origins]). Bodies
// have a limited length and must arrive in time; streams may stay open. The
// number of sessions of each caller is limited, and so is the number of idle
// connections; the one that was idle for the longest time makes room for a new
// one.
//
// # Other programs
//
// An [API] answers programs that do not speak the protocol, below [APIPath]. Its
// requests pass the same authentication and the same [Gate], as calls of the tools that
// do the same, and what a caller holds is counted together. They are refused with a
// [Problem].
//
// # Pages for people
//
// A [View] serves pages below [ViewPath], to anybody, as they hold no content. Browsers
// call the API in the sessions that the pages begin: the request of a session gets the
// token with which it was begun before it is authenticated. A person may follow a link of
// another site to a page, as to evidence; a page of another site gets nothing.
//
// # Request ids and times
//
// Every answer has a requestId in its "_meta", and every protocol error in its
// data. It is taken from the "_meta" of the request or from its header
// X-Request-Id, if it has 1 to 128 printable ASCII characters without spaces;
// otherwise it is new. The log has it as request_id. Next to it is timing:
// total_ms, with the parts lookup_ms (finding and parsing maps), hash_ms (hashing
// sources), extract_ms (reading sources) and encode_ms (writing nodes and maps as
// JSON). The parts may overlap, and exclude the work of the protocol. cache_hit is
// true if nothing had to be parsed or extracted; a call that failed has none.
// Answers to ping and to subscriptions have no "_meta".
package transport
