// Package mcpadapter offers a [citekit.Library] to agents over the Model
// Context Protocol.
//
// [NewServer] returns a server with the tools listResources, getStructure,
// getNode, resolve and info, and with those that [Options] add. [ServeStdio]
// runs it over standard input and output, [NewHandler] over HTTP; any transport
// of the protocol's SDK will do as well. The adapter only translates: it decodes
// the arguments, makes one call to the Library and encodes the answer.
//
// # Making maps
//
// With [Options.Ingester] the server has two more tools, ingest and
// ingestStatus, by which agents make maps of files inside the roots. A call of
// ingest tells of its progress to a client that asks for it, and cancelling the
// call ends the ingest. After some seconds it answers that the ingest is
// running, which goes on until ingestStatus is asked to cancel it or the
// Ingester is closed. What is known of an ingest is kept in a [JobStore], by
// default notes of the workspace, so that each of several servers over one
// directory answers ingestStatus for all of them.
//
// # Resources and prompts
//
// Every server offers resources of the protocol: the map of each resource
// (citekit://maps/{resource_id}), each node (citekit://nodes/{resource_id}/{node_id},
// with ids percent-encoded), and every address, such as text://notes#lines=10-25,
// as the very evidence that it stands for: text as text, other content as a blob,
// and what is longer than 4 MiB as what resolve says of it. Maps are listed in
// pages of 200, nodes and addresses are templates. Clients can subscribe to each
// of them, and hear when its map changes or the list of maps does, whichever
// process changed it: see [Options.Watch]. Reading an address extracts into the
// cache of evidence, also where it is read-only.
//
// The prompts cite_answer, study_resource, find_evidence, check_citations and
// task tell a model how to come to a cited answer with the tools that there are.
// Ids of resources and nodes, and arguments of prompts, are completed.
//
// # Results
//
// Every tool answers with one JSON object, given twice: as text, and as
// structured content that matches the tool's output schema. The tools, their
// descriptions and schemas are the same whatever maps exist, and what a map
// says reaches the agent only inside JSON strings. Only an outline, which
// getStructure gives on demand, is text as it is, with what the map says on
// lines of its own and without control characters.
//
// listResources answers with the ids of all resources while they fit on a page,
// and in parts of up to 100 with arguments: query and type leave out what does
// not have the words or is of another modality, and next_cursor continues, also
// when maps have come and gone. getNode and getStructure take an address in place
// of ids: that of a part means the smallest node that holds it.
//
// getStructure answers with the whole map while its JSON has at most
// [Options.PageBytes] bytes, which is what clients show a model. Of a longer
// one the upper levels come, with a hint how to see the rest; programs pass
// full to have all of it.
//
// # Errors
//
// A tool that fails answers with the result marked as an error, without
// structured content. Its text is
//
//	Error: what was wrong
//	Code: NOT_FOUND
//	Hint: what to do about it
//
// and the code and the hint are also in the result's "_meta". The codes are
// those of [citekit.CodeOf]. Control characters in the text are escaped, so
// that a line is a line. What failed inside the server is only named
// "internal error"; the log has the rest.
//
// What is wrong with a message itself is an error of JSON-RPC, over every
// transport: -32700 for invalid JSON, -32600 for an invalid message, -32601 for
// a method and -32602 for parameters, tools, prompts and resources that there are
// not, -32603 for what fails inside. Over HTTP the status is 400 beside the first
// two, 404 and -32001 for a session that is not there, and for the others 200, or
// what the protocol of 2026-07-28 has. Ids that would not come back unchanged are
// refused.
//
// # Links to evidence
//
// To a caller over HTTP a path on this machine means nothing. There resolve
// answers with output_path null, and with [Options.Links] with evidence_url, a
// link to the file that works until evidence_expires, and the same in a resource
// link block where the version of the protocol has those. Who has the link may
// fetch the file, with ranges, by GET and HEAD; a link that was given to an
// authenticated user is refused to one who authenticates as another. Nothing is
// served by path. The key of the links is kept in the workspace, so that servers
// over one workspace answer for one another.
//
// # Time
//
// Tools that take timeout_ms answer with what there is by then, and say that it
// is not complete. Where there is nothing, and where another limit of time was
// reached, the error has a line of details, which are also in "_meta": limit is
// timeout_ms, server ([Options.Timeouts]) or extraction (that of the Library),
// limit_ms how long it is, and elapsed_ms how long the call took. As
// fallback the error of resolve has what resolve answers with virtual true, and
// that of getContents the addresses of what was asked for, where they are known.
//
// # Serving over HTTP
//
// [NewHandler] serves clients of all versions of the protocol at /mcp: those of
// 2026-07-28 without sessions, and those before with them. A header with another
// version is refused. [Handler.Serve] listens, and stops in good order; a program
// may mount the handler on a server of its own. Then that server must set
// ReadHeaderTimeout, limit its connections, and call [Handler.Shutdown].
//
// Several servers behind a load balancer answer any request of any client if
// [HandlerOptions.Stateless] is set and they are over one workspace. A balancer
// that is made with net/http/httputil.ReverseProxy must enable full duplex for
// HTTP/1 ([http.ResponseController.EnableFullDuplex]), or it may break off
// answers that come early: see https://go.dev/issue/40747.
//
// Requests are refused, with any method, if they name a host or an origin that is
// not the server's ([HandlerOptions.Hosts], [HandlerOptions.Origins]). Bodies
// must arrive in time and be of limited length; streams may last. The sessions
// of a caller are limited, and of connections those that send nothing: what was
// idle for the longest time makes room for what is new.
//
// # Choosing tools
//
// [Options.Toolsets], [Options.Tools] and [Options.ReadOnly] leave out tools,
// and so do the headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Readonly of a
// request over HTTP. A tool is there if all of them choose it: none adds what
// another leaves out. A tool that is left out is answered like one that does
// not exist, and the instructions do not name it. A header with a toolset that
// there is not is an error; with a tool that there is not, the list of tools
// is. A header that chooses toolsets or read-only hides the tools that other
// programs added.
//
// Where it is read-only there are no tools that make maps, whatever else is
// chosen, and resolve writes no evidence file: it gives the address, and text
// and pictures if these are included. What the server keeps for itself, such as
// the index of searches and the version that a source had, is still written.
//
// # Request ids and times
//
// Every answer has a requestId in its "_meta", and a protocol error in its
// data: that of the "_meta" of the request, or of its header X-Request-Id, if
// it has 1 to 128 printable characters of ASCII without spaces, else a new one.
// The log has it as request_id. Beside it stands timing: total_ms, and of that
// lookup_ms (finding and parsing maps), hash_ms (hashing sources), extract_ms
// (reading what is inside sources) and encode_ms (writing nodes and maps as
// JSON). The parts may overlap, and leave out what the protocol takes.
// cache_hit is true if nothing had to be parsed or extracted. Answers to ping
// and to subscriptions have no "_meta".
//
// # Other tools
//
// A program may add tools, resources and prompts of its own to the server. A
// panic in any of them is answered as an error. What their handlers return as
// an error is worded as above if it comes from the Library; else the error of
// a tool is shown as it is, and that of a resource or prompt is only named
// "internal error".
//
// Middleware that is added sees long answers of the tools as a
// [mcp.Result] that is not a [*mcp.CallToolResult].
package mcpadapter
