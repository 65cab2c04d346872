package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pelletier/go-toml/v2"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A launch is how a client reaches a server.
type launch struct {
	Command string
	Args    []string
	Env     map[string]string
	URL     string
}

var snippet = regexp.MustCompile("(?s)```(json|toml|sh)\n(.*?)```")

// TestClientSnippets starts what the snippets of docs/clients.md start, with
// their paths replaced, and calls the URLs that they call.
func TestClientSnippets(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin, base := scratchBinary(t), t.TempDir()
	url := serveURL(t, []string{bin, "serve", "--dir", base, "--transport", "http", "--port", "0"})
	sage := filepath.Join(t.TempDir(), "sage.yaml")
	if err := os.WriteFile(sage, []byte("mcp:\n  timeout_ms: 5000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	place := strings.NewReplacer("/path/to/config/sage.yaml", filepath.ToSlash(sage), "/path/to/files", base, "${workspaceFolder}", base, "http://127.0.0.1:8808/mcp", url)
	configured := 0
	for _, found := range snippet.FindAllStringSubmatch(string(doc), -1) {
		text := place.Replace(found[2])
		if found[1] == "sh" {
			tryShell(t, text, bin)
			continue
		}
		server := parseSnippet(t, found[1], text)
		configured++
		tool := "resolve"
		if server.Env["SAGE_CONFIG"] != "" {
			tool = "sage_search"
		}
		var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: server.URL}
		if server.URL == "" {
			if server.Command != "citekit" {
				t.Errorf("the command %q in\n%s", server.Command, text)
			}
			command := exec.CommandContext(t.Context(), bin, server.Args...)
			for name, value := range server.Env {
				command.Env = append(command.Environ(), name+"="+value)
			}
			transport = &mcp.CommandTransport{Command: command}
		}
		useServer(t, transport, tool)
	}
	if configured < 9 {
		t.Errorf("%d snippets", configured)
	}
}

// parseSnippet returns the only server of a configuration.
func parseSnippet(t *testing.T, language, text string) launch {
	t.Helper()
	unmarshal := json.Unmarshal
	if language == "toml" {
		unmarshal = toml.Unmarshal
	}
	var config map[string]map[string]launch // by mcpServers, servers or mcp_servers
	if err := unmarshal([]byte(text), &config); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for key, servers := range config {
		for name, server := range servers {
			if (name == "citekit" || name == "sage") && strings.Contains("mcpServers servers mcp_servers", key) {
				return server
			}
		}
	}
	t.Fatalf("no server in\n%s", text)
	return launch{}
}

// tryShell runs the command with curl, and reads the flags of the others.
func tryShell(t *testing.T, text, bin string) {
	t.Helper()
	if strings.HasPrefix(text, "curl ") {
		sharedtest.Tool(t, "curl")
		if out := output(t, "sh", "-c", strings.Replace(text, "curl ", "curl -sS ", 1)); !bytes.Contains(out, []byte(`resources`)) || bytes.Contains(out, []byte(`"error"`)) {
			t.Errorf("%s\n%s", text, out)
		}
		return
	}
	for line := range strings.Lines(text) {
		if _, args, ok := strings.Cut(line, "citekit serve "); ok {
			output(t, bin, append([]string{"serve", "--help"}, strings.Fields(args)...)...)
		}
	}
}

// useServer does the handshake with a server, which must have a tool.
func useServer(t *testing.T, transport mcp.Transport, tool string) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(tools.Tools, func(t *mcp.Tool) bool { return t.Name == tool }) {
		t.Errorf("%v, %v", tools, err)
	}
}

// TestBundle makes the bundle for this platform, has the validator of bundles
// read it, and starts the server in it as its manifest says.
func TestBundle(t *testing.T) {
	node := nodeOf(t, sharedtest.NodeModules(t))
	validator := filepath.Join(sharedtest.ConformanceSuites(t), "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
	dist, base, further := t.TempDir(), t.TempDir(), t.TempDir()
	binary, err := os.ReadFile(scratchBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dist, "citekit-"+runtime.GOOS+"-"+runtime.GOARCH)
	writeFile(t, name, binary)
	script := exec.CommandContext(t.Context(), filepath.Join("..", "..", "..", "mcpb.sh"), dist)
	script.Env = append(os.Environ(), "MCPB="+node+" "+validator)
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bundle := unpack(t, name+".mcpb")
	var manifest struct {
		Version string
		Server  struct {
			Config launch `json:"mcp_config"`
		}
	}
	readJSONFile(t, filepath.Join(bundle, "manifest.json"), &manifest)
	start := manifest.Server.Config
	var args []string
	for _, arg := range start.Args {
		switch arg { // as clients put in what the user gave
		case "${user_config.base}":
			arg = base
		case "${user_config.folders}":
			arg = further
		case "--ingest=${user_config.ingest}":
			arg = "--ingest=true"
		}
		args = append(args, arg)
	}
	command := strings.Replace(start.Command, "${__dirname}", bundle, 1)
	useServer(t, &mcp.CommandTransport{Command: exec.CommandContext(t.Context(), command, args...)}, "resolve")

	var published struct {
		Version  string
		Packages []struct{ RegistryType, Identifier, Version, FileSHA256 string }
	}
	readJSONFile(t, filepath.Join(dist, "server.json"), &published)
	if last := published.Packages[len(published.Packages)-1]; last.RegistryType != "mcpb" || len(last.FileSHA256) != 64 ||
		!strings.HasSuffix(last.Identifier, "/v"+published.Version+"/"+filepath.Base(name)+".mcpb") {
		t.Errorf("the bundle in server.json: %+v", last)
	}
	for _, one := range published.Packages {
		if one.Version != "" && one.Version != published.Version {
			t.Errorf("%s has version %s, the server %s", one.Identifier, one.Version, published.Version)
		}
	}
	if manifest.Version != published.Version {
		t.Errorf("the bundle has version %s, the server %s", manifest.Version, published.Version)
	}
}

// unpack returns the folder with the files of a bundle.
func unpack(t *testing.T, bundle string) string {
	t.Helper()
	archive, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	dir := t.TempDir()
	for _, file := range archive.File {
		in, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		writeFile(t, path, data)
		if err := os.Chmod(path, file.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readJSONFile(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// TestServerJSON holds server.json to the limits of its schema, and to the
// fields that the schema has.
func TestServerJSON(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	type input struct {
		Type, Name, Value, Description, Format string
		IsRequired                             bool
	}
	var server struct {
		Schema                            string `json:"$schema"`
		Name, Title, Description, Version string
		Repository                        struct{ URL, Source string }
		Packages                          []struct {
			RegistryType, Identifier, Version, RuntimeHint string
			Transport                                      struct{ Type string }
			PackageArguments                               []input
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&server); err != nil {
		t.Fatal(err)
	}
	if server.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("schema %q", server.Schema)
	}
	for _, field := range []struct {
		name, value, pattern string
	}{
		{"name", server.Name, `^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`},
		{"title", server.Title, `^.{1,100}$`},
		{"description", server.Description, `^.{1,100}$`},
		{"version", server.Version, `^\d+\.\d+\.\d+$`},
		{"repository", server.Repository.URL, `^https://` + regexp.QuoteMeta(server.Repository.Source) + `\.com/`},
	} {
		if !regexp.MustCompile(field.pattern).MatchString(field.value) {
			t.Errorf("%s is %q", field.name, field.value)
		}
	}
	// The registry refuses other kinds: modelcontextprotocol.io/registry/package-types.
	names := map[string]string{"npm": "@citekit/cli", "pypi": "citekit"}
	for _, one := range server.Packages {
		if one.Identifier != names[one.RegistryType] || one.Version != server.Version || one.Transport.Type != "stdio" {
			t.Errorf("the package %+v", one)
		}
		delete(names, one.RegistryType)
	}
	if len(names) > 0 {
		t.Errorf("no packages of %v", names)
	}
}
