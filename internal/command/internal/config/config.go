// Package config reads the settings of citekit: one YAML file, environment
// variables over it, and flags over those.
//
// Each mistake is a [Fault] with its position, and all faults are reported at
// once. Nothing is guessed: an unknown setting, a repeated setting, and a value
// of a wrong type are refused. Secrets are not settings: keys and tokens stay
// in environment variables of their own.
package config

// Config has all settings. [Default] returns the values of settings that are
// not given.
//
// The tags describe a setting completely, for reading, printing and the schema:
// json is its name, jsonschema its meaning, and setting how its value is
// checked (see [rules]) and whether a running server can change it.
type Config struct {
	Transport      string   `json:"transport" jsonschema:"How clients connect: stdio, or http for a port; sse is http with sse." setting:"oneof=stdio|http|sse"`
	Host           string   `json:"host" jsonschema:"Address or host name to listen on. Without keys and OAuth it must be a loopback one."`
	Port           int      `json:"port" jsonschema:"Port to listen on; 0 takes a free one." setting:"min=0 max=65535"`
	TLS            TLS      `json:"tls" jsonschema:"Certificate for https. Both files are read again when they change."`
	Hosts          []string `json:"hosts" jsonschema:"Host names that requests may have besides loopback ones; needed behind a proxy on the same machine."`
	Origins        []string `json:"origins" jsonschema:"Origins of web pages that may call the server, such as https://agents.example." setting:"url"`
	PublicURL      string   `json:"public_url" jsonschema:"Start of links to evidence and to pages, such as https://cite.example, behind a proxy that terminates TLS; empty means as in the request, without links to pages." setting:"url"`
	View           bool     `json:"view" jsonschema:"Serve pages for people at /view/, which sign in with a key and show the library and what is cited."`
	Stateless      bool     `json:"stateless" jsonschema:"No sessions, for several servers behind a load balancer."`
	SSE            bool     `json:"sse" jsonschema:"Also serve the older HTTP+SSE transport, at /sse."`
	SessionTimeout Duration `json:"session_timeout" jsonschema:"How long a session may be idle." setting:"more=0"`
	Drain          Duration `json:"drain" jsonschema:"How long to go on after a signal, while /readyz fails, so that a proxy sends requests elsewhere first." setting:"min=0"`

	Workspaces map[string]Workspace `json:"workspaces" jsonschema:"Workspaces to serve, by the names that keys have. If there are none, the base directory of the command line is served."`

	Keys  string `json:"keys" jsonschema:"File of the keys that callers need, as made by citekit key; read again when it changes." setting:"path"`
	OAuth OAuth  `json:"oauth" jsonschema:"Identity provider whose tokens are accepted, in addition to keys or instead of them."`

	Dialects     []string     `json:"dialects" jsonschema:"Interfaces that clients of MCP find; if two have a tool of one name, it is that of the first." setting:"dialect"`
	Toolsets     []string     `json:"toolsets" jsonschema:"Offer only the tools of these toolsets; none means all." setting:"reload toolset"`
	Tools        []string     `json:"tools" jsonschema:"Offer only these tools; none means all." setting:"reload tool"`
	ReadOnly     bool         `json:"read_only" jsonschema:"No tool writes maps or evidence files, whatever the other settings." setting:"reload"`
	Capabilities Capabilities `json:"capabilities" jsonschema:"What the server may do besides reading."`

	Embedder string `json:"embedder" jsonschema:"Model that also ranks by meaning: openai:NAME or ollama:NAME, with @URL for another server, or static:DIR."`
	Reranker string `json:"reranker" jsonschema:"Model that reranks the best results: NAME@URL of a server with /rerank."`
	Model    Model  `json:"model" jsonschema:"Model that writes abstractive answers."`
	Mapper   Mapper `json:"mapper" jsonschema:"What makes the maps of files that agents ingest."`

	Transcriber Transcriber `json:"transcriber" jsonschema:"What writes down the speech in recordings without subtitles that agents ingest."`

	MCP MCP `json:"mcp" jsonschema:"Settings as the SAGE reference has them, which mean its dialect. Host, port and connections are those of citekit if these are not given."`

	Timeouts map[string]Duration `json:"timeouts" jsonschema:"How long a call may take, by tool. A call may ask for less. A negative time means no limit." setting:"reload tool"`
	Limits   Limits              `json:"limits" jsonschema:"Limits on callers. Zero means the default, and a negative number means no limit."`

	Log     Log     `json:"log" jsonschema:"Log of requests and faults; it never has evidence, quotes, queries or keys."`
	Audit   Audit   `json:"audit" jsonschema:"Log of who did what, separate from the other log."`
	Metrics Metrics `json:"metrics" jsonschema:"Metrics for Prometheus."`
	Traces  Traces  `json:"traces" jsonschema:"Spans for OpenTelemetry."`
}

// TLS names the files of a certificate.
type TLS struct {
	Cert string `json:"cert" jsonschema:"PEM file of the certificate." setting:"path"`
	Key  string `json:"key" jsonschema:"PEM file of the certificate's key." setting:"path"`
}

// A Workspace is a base directory, or a store of another kind, with its settings.
type Workspace struct {
	Dir         string   `json:"dir" jsonschema:"Base directory, with maps, evidence and sources." setting:"path"`
	URL         string   `json:"url" jsonschema:"URL of a workspace in another store, in place of dir, for a program that has such stores."`
	Roots       []string `json:"roots" jsonschema:"Further directories that sources may be in." setting:"path"`
	MapsDir     string   `json:"maps_dir" jsonschema:"Directory of the maps, relative to dir; empty means .resource_maps."`
	EvidenceDir string   `json:"evidence_dir" jsonschema:"Directory of the evidence, relative to dir; empty means .citekit_output."`
	Shards      int      `json:"shards" jsonschema:"Shards of the search index, if the server makes it; one that is there keeps its number until citekit ingest --shards." setting:"min=0 max=256"`
	Ingest      *bool    `json:"ingest" jsonschema:"Let agents make maps of files here; by default as in capabilities.ingest."`

	Toolsets []string            `json:"toolsets" jsonschema:"Of those that are offered, only the tools of these toolsets; none means all." setting:"toolset"`
	Tools    []string            `json:"tools" jsonschema:"Of those that are offered, only these tools; none means all." setting:"tool"`
	Timeouts map[string]Duration `json:"timeouts" jsonschema:"How long a call may take here, by tool." setting:"tool"`
}

// OAuth configures which tokens of an identity provider are accepted.
type OAuth struct {
	Issuer   string   `json:"issuer" jsonschema:"URL of the identity provider, as in its tokens." setting:"url"`
	Audience string   `json:"audience" jsonschema:"Audience that the tokens must have; empty means the URL in resource."`
	Resource string   `json:"resource" jsonschema:"URL at which clients reach this server, such as https://cite.example/mcp." setting:"url"`
	Scopes   []string `json:"scopes" jsonschema:"Scopes that clients are told to request."`

	ScopeClaim  string           `json:"scope_claim" jsonschema:"Claim with the scopes; dots name a nested claim. Empty means scope, or scp."`
	RequireType bool             `json:"require_type" jsonschema:"Accept only tokens whose type is at+jwt (RFC 9068)."`
	Skew        Duration         `json:"skew" jsonschema:"How much the clocks of the provider and of this machine may differ, at most 5m. Negative means not at all." setting:"max=300000000000"`
	CAFile      string           `json:"ca_file" jsonschema:"PEM file of the certificate authorities for the provider's certificate; empty means those of the system." setting:"path"`
	Grants      map[string]Grant `json:"grants" jsonschema:"What the provider's own scopes allow, in addition to scopes of the form citekit:workspace:NAME."`
}

// A Grant is what a scope allows.
type Grant struct {
	Workspaces []string `json:"workspaces" jsonschema:"Workspaces that may be used."`
	Toolsets   []string `json:"toolsets" jsonschema:"Only these toolsets may be used; none means all." setting:"toolset"`
	Tools      []string `json:"tools" jsonschema:"Only these tools may be used; none means all." setting:"tool"`
	ReadOnly   bool     `json:"read_only" jsonschema:"Tools that write may not be used."`
}

// MCP has the settings of a server of the SAGE reference.
type MCP struct {
	Host           string   `json:"host" jsonschema:"As host."`
	Port           int      `json:"port" jsonschema:"As port." setting:"min=0 max=65535"`
	TimeoutMS      int      `json:"timeout_ms" jsonschema:"Longest time of a call in milliseconds, and that of calls that give none; 0 means 10000 and 2000." setting:"min=0 max=10000"`
	MaxConnections int      `json:"max_connections" jsonschema:"As limits.connections." setting:"min=0"`
	Capabilities   []string `json:"capabilities" jsonschema:"What is offered besides sage_info; if the list is left out, everything." setting:"oneof=knowledge_retrieval|search|context_management"`
}

// Capabilities configure what a server may do.
type Capabilities struct {
	Ingest   bool   `json:"ingest" jsonschema:"Let agents make maps of files in the base directory and the roots."`
	Comments bool   `json:"comments" jsonschema:"Read the comments in DOCX and ODT files. Give it to all commands that search or to none, as they share an index."`
	OCR      bool   `json:"ocr" jsonschema:"Read scanned pages with tesseract, some seconds each. Give it to all commands that search or to none, as they share an index."`
	Program  string `json:"ocr_program" jsonschema:"Recognise text with this program, not tesseract: it is given the path of a PNG, and writes hOCR, ALTO or tesseract's TSV."`
}

// A Model configures a model that writes text.
type Model struct {
	Name   string `json:"name" jsonschema:"API of the model: gemini or openai." setting:"oneof=|gemini|openai"`
	Config JSON   `json:"config" jsonschema:"Its settings, such as model and base_url."`
}

// A Mapper configures a mapper.
type Mapper struct {
	Name    string `json:"name" jsonschema:"What makes the maps: structure, gemini, openai or a program; empty means structure."`
	Config  JSON   `json:"config" jsonschema:"Its settings, such as model and base_url."`
	Retries int    `json:"retries" jsonschema:"How often a failed request to a model is repeated." setting:"min=0 max=100"`
	Enrich  bool   `json:"enrich" jsonschema:"Keep the structure, and let the model add titles and summaries."`
}

// A Transcriber configures what recognises speech.
type Transcriber struct {
	Name   string `json:"name" jsonschema:"whisper.cpp, openai-whisper, faster-whisper, vosk, pocketsphinx, a program, or the URL of a server; empty means nothing does."`
	Config JSON   `json:"config" jsonschema:"Its settings, such as model and language."`
}

// Log configures where the log is written.
type Log struct {
	Level  string `json:"level" jsonschema:"The lowest level that is logged: debug, info, warn or error." setting:"reload level"`
	Format string `json:"format" jsonschema:"Format of the lines: text or json." setting:"oneof=text|json"`
	File   string `json:"file" jsonschema:"File that the log is appended to; empty means the standard error. SIGHUP reopens it." setting:"path"`
}

// Audit configures where the audit log is written.
type Audit struct {
	File string `json:"file" jsonschema:"File that lines of JSON are appended to; empty means no audit log. SIGHUP reopens it." setting:"path"`
}

// Metrics configure where Prometheus reads metrics.
type Metrics struct {
	Enabled bool   `json:"enabled" jsonschema:"Serve metrics, at /metrics of the address in listen."`
	Listen  string `json:"listen" jsonschema:"HOST:PORT of a separate listener, which needs no key." setting:"address"`
}

// Traces configure where spans of OpenTelemetry are sent.
type Traces struct {
	Enabled  bool   `json:"enabled" jsonschema:"Send spans, as OpenTelemetry variables such as OTEL_TRACES_SAMPLER configure."`
	Endpoint string `json:"endpoint" jsonschema:"URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; OpenTelemetry variables override it." setting:"url"`
}
