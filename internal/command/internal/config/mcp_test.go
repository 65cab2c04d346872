package config

import (
	"slices"
	"strings"
	"testing"
)

const sageFile = `mcp:
  host: localhost
  port: 8000
  timeout_ms: 5000
  max_connections: 10
  capabilities:
    - knowledge_retrieval
    - search
    - context_management
`

// TestMCP checks what the settings of the SAGE reference mean, and what overrides them.
func TestMCP(t *testing.T) {
	host := Flag{"host", []string{"host"}, "127.0.0.1"}
	for name, test := range map[string]struct {
		text      string
		from      Sources
		transport string
		host      string
		port      int
		team      bool
	}{
		"the file alone":      {sageFile, Sources{}, "stdio", "localhost", 8000, false},
		"a flag":              {sageFile, Sources{Flags: []Flag{host}}, "http", "127.0.0.1", 8000, false},
		"another flag":        {sageFile, Sources{Flags: []Flag{{"port", []string{"port"}, "9000"}}}, "http", "localhost", 9000, false},
		"the transport":       {sageFile, Sources{Flags: []Flag{{"transport", []string{"transport"}, "http"}}}, "http", "localhost", 8000, false},
		"stdio all the same":  {sageFile, Sources{Flags: []Flag{host, {"transport", []string{"transport"}, "stdio"}}}, "stdio", "127.0.0.1", 8000, false},
		"the environment":     {sageFile, Sources{Environ: []string{"CITEKIT_PORT=7000", "CITEKIT_TRANSPORT=http"}}, "http", "localhost", 7000, false},
		"settings of citekit": {sageFile + "port: 7001\ntransport: http\nkeys: keys.json\n", Sources{}, "http", "localhost", 7001, true},
		"flags without file":  {"", Sources{Flags: []Flag{host}}, "http", "127.0.0.1", 8808, false},
		"a port in a file":    {"port: 80\n", Sources{}, "stdio", "127.0.0.1", 80, false},
	} {
		if test.text != "" {
			test.from.File = write(t, test.text)
		}
		s, err := Load(test.from)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Transport != test.transport || s.Host != test.host || s.Port != test.port || s.Team() != test.team {
			t.Errorf("%s: %s, %s:%d, for a team: %v", name, s.Transport, s.Host, s.Port, s.Team())
		}
		if !strings.HasPrefix(test.text, "mcp:") {
			continue
		}
		if s.Limits.Connections != 10 || s.MCP.TimeoutMS != 5000 || !slices.Equal(s.MCP.Capabilities, []string{"knowledge_retrieval", "search", "context_management"}) {
			t.Errorf("%s: %d connections, %+v", name, s.Limits.Connections, s.MCP)
		}
		if name == "the file alone" && len(s.Warnings) > 0 {
			t.Errorf("%s: %q", name, s.Warnings)
		}
	}
}

// TestMCPFaults checks that all faults are reported at once, with their places.
func TestMCPFaults(t *testing.T) {
	const wrong = `mcp:
  host: [localhost]
  port: 80000
  timeout_ms: soon
  max_connections: -1
  capabilities:
    - knowledge
  timeout: 3
other: 1
`
	const want = `f:2: mcp.host: this is a list: write a text
f:3: mcp.port: bad value "80000": ports run from 0 to 65535
f:4: mcp.timeout_ms: bad value "soon": write a whole number
f:5: mcp.max_connections: bad value "-1": it must not be less than 0
f:6: mcp.capabilities: bad value "knowledge": did you mean knowledge_retrieval?
f:8: mcp.timeout: there is no such setting; did you mean mcp.timeout_ms?
f:9: other: there is no such setting; `
	if got := faultsOf(t, Sources{}, wrong); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := faultsOf(t, Sources{}, "mcp:\n  timeout_ms: 10001\n"); got != `f:2: mcp.timeout_ms: bad value "10001": it runs from 0 to 10000` {
		t.Error(got)
	}
}

// TestMCPService checks that a service of Kubernetes named citekit-mcp is no setting.
func TestMCPService(t *testing.T) {
	s, err := Load(Sources{Environ: []string{"CITEKIT_MCP_PORT=tcp://10.0.0.1:80", "CITEKIT_MCP_SERVICE_HOST=10.0.0.1", "CITEKIT_MCP_PORT_80_TCP=tcp://10.0.0.1:80"}})
	if err != nil || s.Port != Default().Port || len(s.Warnings) > 0 {
		t.Errorf("%v, %+v", err, s)
	}
}
