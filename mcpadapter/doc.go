// Package mcpadapter offers a [citekit.Library] to agents over the Model
// Context Protocol.
//
// [NewServer] returns a server with the tools listResources, getStructure,
// getNode, resolve and info, and with the tools that [Options] add. [ServeStdio]
// runs it over standard input and output, [NewHandler] over HTTP, both by package
// transport; any other transport of the SDK works too. The adapter only translates: it decodes the
// arguments, makes one call to the Library and encodes the answer.
//
// # Making maps
//
// With [Options.Ingester] the server has two more tools, ingest and ingestStatus,
// which let agents make maps of files inside the roots. A call of ingest reports
// progress to a client that asks for it, and cancelling the call ends the ingest.
// After some seconds the call answers that the ingest is running. The ingest then
// continues until it is done, ingestStatus is told to cancel it, or the Ingester
// is closed. The state of ingests is kept in a [ingest.JobStore], by default in notes of
// the workspace, so that each of several servers over one directory answers
// ingestStatus for all of them.
//
// # Resources and prompts
//
// Every server offers three kinds of protocol resources: the map of each resource
// (citekit://maps/{resource_id}), each node
// (citekit://nodes/{resource_id}/{node_id}, with percent-encoded ids), and the
// evidence at every address, such as text://notes#lines=10-25. Evidence that is
// text is returned as text, other content as a blob; for content longer than 4
// MiB, the answer is the one of the tool resolve. Maps are listed in pages of 200,
// with their titles and when they were made; nodes and addresses are templates. Clients can subscribe to
// each resource. They are notified when its map or the list of maps changes,
// whichever process changed it: see [Options.Watch]. Reading an address stores its
// evidence; a read-only server answers with the address alone.
//
// The prompts cite_answer, study_resource, find_evidence, check_citations and
// task tell a model how to reach a cited answer with the available tools. Ids of
// resources and nodes, addresses, and arguments of prompts are completed.
//
// # Results
//
// Every tool answers with one JSON object. Tools that have an output schema give
// it twice: as text, which some clients show alone, and as structured content that
// matches the schema; clients of protocol versions before 2025-06-18, which have
// no structured content, get it once. getContents, findSimilar and getContext have
// no output schema and give it once, as text; pictures follow it, which clients
// that show structured content would leave out. The tools, their descriptions and
// their schemas do not depend on the maps, and the content of maps reaches the
// agent only inside JSON strings. The one exception is an outline, which
// getStructure returns on request: it is plain text, in which the texts of the map
// have lines to themselves and contain no control characters.
//
// Without arguments, listResources answers with the ids of all resources if they
// fit on a page. Otherwise it answers in parts of up to 100, of which the first
// has the total: query and type select resources by words and modality, and
// next_cursor continues, even if maps were added or removed in between. Wherever a
// tool takes the id of a resource or an address, it also takes the path of the
// source, as maps have it or absolute, or its name if no other source has it; a
// fragment may follow, as in guide.pdf#pages=3. getNode and getStructure accept an
// address instead of ids; an address of a part stands for the smallest node that
// holds the part.
//
// getStructure answers with the whole map if its JSON has at most
// [Options.PageBytes] bytes, 12,000 by default. For a larger map it returns the
// upper levels, with a hint how to see the rest; programs set full to get all of
// it.
//
// One word stands for one idea in all tools: query is what to look for, address or
// addresses where, top_k how many results, max_tokens how long the answer. The
// names that some tools had before are still accepted: question, task, text and id
// of findSimilar, ids, max_sentences, token_budget.
//
// # Characters that cannot be seen
//
// A file may hide words from people in characters that do not show, or change the
// order in which a text displays. Wherever a text, a title, an id or a path reaches
// a client, each such character is written as its code, such as \u202E or
// \U000E0041: control characters (Unicode's Cc) except tab and line ends, format
// characters (Cf), variation selectors, and other characters that displays ignore.
// The member escaped of an answer, or the note of an item, then says so; text and
// structured content are the same. Those that writing needs stay where it needs
// them: joiners between emoji and after letters of Arabic, Devanagari and other
// scripts that use them, one variation selector after an emoji, a symbol or an
// ideograph, tags in the flags that are emoji, U+200E, U+200F and U+061C near a
// letter that is written from right to left, and a soft hyphen between letters.
//
// Offsets in an answer count the text as it is shown. Ids and quotes with codes are
// accepted, and verify compares such a quote with the text of the source. Evidence
// files and their links have the exact bytes, and so has a blob behind the text of
// an address that is read as a resource.
//
// # Errors
//
// A tool that fails answers with a result marked as an error, without structured
// content. Its text is
//
//	Error: what was wrong
//	Code: NOT_FOUND
//	Hint: what to do about it
//
// and the code and the hint are also in the result's "_meta". The codes are those
// of [citekit.CodeOf]. Line ends in the text are escaped, so each field stays
// on one line. Failures inside the server are only called "internal error";
// the log has the details.
//
// A request that fails outside of a tool has a JSON-RPC error: its data has the same code
// and, as details, what was wrong and what to do. A missing resource has one number,
// whatever its URI: that of the protocol version.
//
// # Links to evidence
//
// A path on this machine is of no use to a caller over HTTP. There resolve
// answers with output_path null. With [Options.Links] it also returns
// evidence_url, a link to the file that works until evidence_expires, and the
// same link in a resource link block if the protocol version has such blocks.
//
// # Time
//
// Tools that take timeout_ms (milliseconds) answer with the results found by then,
// and report that they are incomplete. If nothing was found by then, or another
// time limit was reached, the tool fails, as resolve always does. The error has a
// line of details, also in "_meta": limit is timeout_ms, server
// ([Options.Timeouts]) or extraction (the limit of the Library), limit_ms its
// length, and elapsed_ms the duration of the call. The error of resolve also has
// fallback, the answer of resolve with virtual true; the fallback of getContents
// has the addresses of those requested items whose address is known.
//
// # Choosing tools
//
// [Options.Toolsets], [Options.Tools] and [Options.ReadOnly] leave out tools, and
// so do the headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Readonly of a request
// over HTTP. A tool is offered if all of them choose it: none adds a tool that
// another leaves out. A tool that is left out is answered like an unknown one,
// and the instructions do not name it. A header with an unknown toolset makes
// every request fail; one with an unknown tool only the list of tools. A header
// that chooses toolsets or read-only also hides the tools that other programs
// added.
//
// What the options leave out is not given as a resource either: the map of a resource
// needs getStructure, a node getNode or getStructure, an address resolve or getContents,
// and their list and completion listResources or getStructure. The resources and prompts
// of dialects need a tool as [DialectResource] and [DialectPrompt] say. Headers leave out
// tools alone.
//
// Clients are notified when [Options.Adjust] changes the tools, and the prompts, which name
// only tools that there are.
//
// A read-only server has no tools that make maps, whatever else is chosen, and
// resolve writes no evidence file: it returns the address, with text and pictures
// if they are included. The server still writes data for its own use, such as the
// search index and earlier versions of sources.
//
// # Dialects
//
// [Options.Dialects] offer the tools, resources and prompts of other servers, under the
// names and with the schemas that their clients know, in place of those of this package
// or beside them. Arguments are checked against the schema before a call, and all that is
// said here of time, errors, choosing tools and characters that cannot be seen holds for
// them. Package corpus has the dialects that citekit knows.
//
// # Evidence in the client
//
// With [Options.Viewer] and [Options.Contents], clients that announce the extension
// io.modelcontextprotocol/ui (MCP Apps) are told of a page, ui://citekit/evidence, that shows
// the results of resolve, search, getContents, answer and verify: "_meta" of these tools
// names it. The page calls one more tool, viewEvidence, which such clients keep from the
// model. It answers with what package view makes of an address, a cursor and a quote, with a
// picture, or with the evidence, up to 4 MiB. Whoever may call getContents may call it and
// read the page, whatever names of tools were chosen, and Timeouts has it as getContents.
// For all other clients there is no such page or tool.
//
// # Other tools
//
// A program may add its own tools, resources and prompts to the server. A panic
// in any of them is answered as an error. An error that their handlers return is
// worded as above if it comes from the Library. Otherwise the error of a tool is
// shown unchanged, and the error of a resource or prompt is only called "internal
// error".
//
// Tools that a program adds are not subject to [Options]: Timeouts do not end
// their calls, Logger gets no record of calls that fail, and Toolsets, Tools and
// ReadOnly do not leave them out, but the headers above and [Options.Adjust] do.
//
// Added middleware sees long answers of the tools as a [mcp.Result] that is not a
// [*mcp.CallToolResult].
package mcpadapter
