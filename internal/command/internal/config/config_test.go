package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/corpus"
)

// write makes a file of settings and returns its name.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "citekit.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// faultsOf returns what is wrong with a file, without its folder.
func faultsOf(t *testing.T, from Sources, text string) string {
	t.Helper()
	if text != "" {
		from.File = write(t, text)
	}
	_, err := Load(from)
	if err == nil {
		return ""
	}
	if !errors.As(err, new(Faults)) {
		t.Fatalf("%T: %v", err, err)
	}
	if from.File == "" {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), from.File, "f")
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"unknown":          {"prot: 80\n", "f:1: prot: there is no such setting; did you mean port?"},
		"unknown, within":  {"limits:\n  call: 3\n", "f:2: limits.call: there is no such setting; did you mean limits.calls?"},
		"unknown, nothing": {"tls:\n  zebra: 1\n", "f:2: tls.zebra: there is no such setting; tls has cert, key"},
		"elsewhere":        {"calls_per_caller: 3\n", "f:1: calls_per_caller: there is no such setting here; did you mean limits.calls_per_caller?"},
		"all at once": {"port: many\nhost: [a]\nstateless: 1\n",
			"f:1: port: bad value \"many\": write a whole number\nf:2: host: this is a list: write a text\nf:3: stateless: bad value \"1\": write true or false"},
		"twice":              {"port: 1\nhost: a\nport: 2\n", "f:3: port: it is given twice, first in line 1; leave out one"},
		"alias":              {"hosts: &a [x]\norigins: *a\n", "f:1: &a: settings cannot have anchors; write the value itself\nf:2: *a: settings cannot have aliases; write the value itself"},
		"tag":                {"port: !!str 3\n", "f:1: !!str: settings cannot have tags"},
		"own tag":            {"port: !x 3\n", "f:1: !x: settings cannot have tags"},
		"tab":                {"limits:\n\tcalls: 3\n", "f:2: the line begins with a tab; indent YAML with spaces"},
		"two documents":      {"port: 1\n---\nport: 2\n", "f:2: a second document begins here; settings must be one document, without a line ---"},
		"no YAML":            {"port: [1\nhost: a\n", "f:1: this is not YAML: did not find expected ',' or ']'"},
		"binary":             {"port: 1\n\x00\n", "f:2: the file is not text in UTF-8"},
		"latin1":             {"host: \xe9\n", "f:1: the file is not text in UTF-8"},
		"a list":             {"- port\n", "f:1: this is a list: write a section of settings"},
		"a word":             {"port\n", "f:1: bad value \"port\": write a section of settings"},
		"no value":           {"port:\n", "f:1: port: it has no value: write a whole number, or leave it out"},
		"octal":              {"port: 010\n", "f:1: port: bad value \"010\": write a whole number"},
		"port":               {"port: 65536\n", "f:1: port: bad value \"65536\": ports run from 0 to 65535"},
		"huge":               {"port: 99999999999999999999\n", "f:1: port: bad value \"99999999999999999999\": write a whole number"},
		"yes":                {"sse: yes\n", "f:1: sse: bad value \"yes\": write true or false"},
		"time":               {"session_timeout: 30\n", "f:1: session_timeout: bad value \"30\": write a time such as 30s, 500ms or 10m"},
		"time in words":      {"session_timeout: soon\n", "f:1: session_timeout: bad value \"soon\": write a time with its unit, such as 30s, 500ms or 10m"},
		"no time":            {"session_timeout: 0s\n", "f:1: session_timeout: bad value \"0s\": it must be more than 0"},
		"size":               {"limits: {body_bytes: 4 megs}\n", "f:1: limits.body_bytes: bad value \"4 megs\": write a number of bytes, or one with its unit, such as 512MiB or 10GB"},
		"large size":         {"limits: {body_bytes: 9999999999TiB}\n", "f:1: limits.body_bytes: bad value \"9999999999TiB\": it is too large"},
		"infinite":           {"limits: {rate: .inf}\n", "f:1: limits.rate: bad value \".inf\": write a number"},
		"tool":               {"tools: [serch]\n", "f:1: tools: bad value \"serch\": did you mean search?"},
		"toolset":            {"toolsets: [read, wriet]\n", "f:1: toolsets: bad value \"wriet\": did you mean write?"},
		"timeout":            {"timeouts: {getnode: 1s}\n", "f:1: timeouts.getnode: there is no such tool; did you mean getNode?"},
		"no transport":       {"transport: ''\n", "f:1: transport: bad value \"\": it is stdio, http or sse"},
		"no tool":            {"tools: ['']\n", "f:1: tools: bad value \"\": it is " + either(corpus.Toolsets().Tools())},
		"list":               {"tools: search\n", "f:1: tools: bad value \"search\": write a list such as [a, b]"},
		"list of numbers":    {"hosts: [1]\n", "f:1: hosts: bad value \"1\" in a list of texts: put it in quotes if it is a text"},
		"transport":          {"transport: htp\n", "f:1: transport: bad value \"htp\": did you mean http?"},
		"url":                {"traces: {enabled: true, endpoint: localhost}\n", "f:1: traces.endpoint: bad value \"localhost\": write a URL such as https://example.org"},
		"address":            {"metrics: {listen: 9464}\n", "f:1: metrics.listen: bad value \"9464\": write a text, in quotes if it looks like a number"},
		"address, no port":   {"metrics: {listen: localhost}\n", "f:1: metrics.listen: bad value \"localhost\": write HOST:PORT such as 127.0.0.1:9464"},
		"half a certificate": {"port: 1\ntls:\n  cert: c.pem\n", "f:3: tls.cert needs tls.key"},
		"sse":                {"stateless: true\nsse: true\n", "f:2: sse cannot be combined with stateless: that transport has sessions"},
		"no dir":             {"workspaces:\n  a: {}\n  b:\n", "f:2: workspaces.a has no dir: write the folder with its files\nf:3: workspaces.b has no dir: write the folder with its files"},
		"same dir":           {"workspaces:\n  a: {dir: x}\n  b: {dir: x}\n", "f:3: workspaces.b.dir: it is the folder of workspace a; each needs its own"},
		"store and folder":   {"workspaces:\n  a: {dir: x, url: 'pg://db'}\n", "f:2: workspaces.a.url: is of another store, which has no dir, roots, maps_dir and evidence_dir: leave them out"},
		"user of a store":    {"workspaces:\n  a: {url: 'pg://me@db/x'}\n  b: {url: 'pg://me@db/x'}\n", "f:3: workspaces.b.url: it is the store of workspace a; each needs its own"},
		"password of one":    {"workspaces:\n  a: {url: 'pg://me:pw@db/x'}\n", "f:2: workspaces.a has no dir: write the folder with its files\nf:2: workspaces.a.url: it has a user name or a password: secrets are not settings, and stay in environment variables"},
		"same store":         {"workspaces:\n  a: {url: 'pg://db'}\n  b: {url: 'pg://db'}\n", "f:3: workspaces.b.url: it is the store of workspace a; each needs its own"},
		"name":               {"workspaces:\n  a/b: {dir: x}\n", "f:2: workspaces.a/b: names have 1 to 64 ASCII letters, digits, \"-\", \"_\" and \".\", and begin with a letter or digit"},
		"workspace":          {"workspaces:\n  v1.0: {directory: x}\n", "f:2: workspaces.v1.0 has no dir: write the folder with its files\nf:2: workspaces.v1.0.directory: there is no such setting; workspaces.v1.0 has dir, url, roots, maps_dir, evidence_dir, shards, ingest, toolsets, tools, timeouts"},
		"dialect":            {"dialects: [lightfest]\n", "f:1: dialects: bad value \"lightfest\": did you mean lightfast?"},
		"dialect twice":      {"dialects: [lightfast, citekit, lightfast]\n", "f:1: dialects has lightfast twice"},
		"tool of a place":    {"workspaces:\n  a: {dir: x, tools: [get_content]}\n", "f:2: workspaces.a.tools: bad value \"get_content\": did you mean get_contents?"},
		"issuer alone":       {"oauth: {issuer: 'https://a.example'}\n", "f:1: oauth.issuer needs oauth.resource"},
		"grant":              {"oauth:\n  issuer: https://a.example\n  resource: https://b.example/mcp\n  grants:\n    https://a/read: {workspaces: [read]}\nworkspaces: {red: {dir: x}}\n", "f:5: oauth.grants.https://a/read.workspaces: there is no workspace \"read\"; did you mean red?"},
		"scope":              {"oauth: {grants: {'a b': {read_only: true}}}\n", "f:1: oauth.grants.a b: scopes have 1 to 200 ASCII characters, without spaces, quotes and backslashes"},
		"skew":               {"oauth: {skew: 6m}\n", "f:1: oauth.skew: bad value \"6m\": it is too large"},
		"model":              {"model: {config: {model: m}}\n", "f:1: model.config needs model.name"},
		"object":             {"model: {name: gemini, config: {a: 1, a: 2}}\n", "f:1: model.config: a is given twice; leave out one"},
		"one file, two logs": {"log: {file: x}\naudit: {file: x}\n", "f:2: audit.file is the file of log.file: the audit log needs a file of its own"},
		"escapes":            {"\"\\e[31m\": 1\n", "f:1: \\x1b[31m: there is no such setting; there are " + strings.Join(names(), ", ")},
	} {
		if got := faultsOf(t, Sources{}, test.text); got != test.want {
			t.Errorf("%s: %s", name, cmp.Diff(test.want, got))
		}
	}
}

func names() []string {
	var all []string
	for _, m := range members(configType) {
		all = append(all, m.name)
	}
	return all
}

// Secrets are refused, and never shown.
func TestSecrets(t *testing.T) {
	const secret = "hunter2"
	for _, text := range []string{
		"api_key: " + secret, "embedder_token: " + secret, "oauth: {client_secret: " + secret + "}", "Password: " + secret,
		"embedder: openai:m@https://me:" + secret + "@host/v1", "origins: ['https://a', 'https://" + secret + "@b']",
		"model: {name: openai, config: {api_key: " + secret + "}}", "model: {name: openai, config: {base_url: 'https://u:" + secret + "@h'}}",
		"mapper: {name: gemini, config: {key: " + secret + "}}", "traces: {endpoint: 'http://" + secret + "@h'}",
	} {
		if got := faultsOf(t, Sources{}, text); !strings.Contains(got, "secrets are not settings") || strings.Contains(got, secret) {
			t.Errorf("%s: %q", text, got)
		}
	}
	for _, variable := range []string{
		"CITEKIT_EMBEDDER=openai:m@https://me:" + secret + "@host/v1", "CITEKIT_MODEL_CONFIG={\"api_key\":\"" + secret + "\"}",
		"CITEKIT_MODEL_CONFIG={" + secret, "CITEKIT_METRICS_LISTEN=x://" + secret + "@h", "CITEKIT_PORT=x@://" + secret + "@",
	} {
		if got := faultsOf(t, Sources{Environ: []string{variable}}, ""); strings.Contains(got, secret) || got == "" && !strings.HasPrefix(variable, "CITEKIT_PORT") {
			t.Errorf("%s: %q", variable, got)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if got := faultsOf(t, Sources{File: dir}, ""); got != "f: it is not a regular file" {
		t.Error(got)
	}
	if got := faultsOf(t, Sources{File: filepath.Join(dir, "none.yaml")}, ""); !strings.HasPrefix(got, "f: ") || strings.Contains(got, dir) {
		t.Error(got)
	}
	if got := faultsOf(t, Sources{}, "# "+strings.Repeat("x", maxFile)); got != "f: it is larger than 1 MiB, the limit for settings" {
		t.Error(got)
	}
	for _, text := range []string{"", "# nothing\n", "\ufeffport: 1\n", "limits:\n  # calls: 3\ntools:\n", "# a\n\t# tab\n", "---\nport: 1\n", "workspaces:\n"} {
		if got := faultsOf(t, Sources{}, text+" "); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 20 {
		bomb += strings.ReplaceAll("NEXT: &NEXT [*PREV,*PREV,*PREV,*PREV,*PREV,*PREV,*PREV,*PREV,*PREV]\n", "PREV", string(rune('a'+i)))
		bomb = strings.ReplaceAll(bomb, "NEXT", string(rune('b'+i)))
	}
	if got := faultsOf(t, Sources{}, bomb); !strings.Contains(got, "settings cannot have anchors") || strings.Count(got, "\n") > maxFaults {
		t.Error(got)
	}
	many := strings.Repeat("- x\n", 1) + strings.Repeat("x", 10)
	if got := faultsOf(t, Sources{}, many); got == "" {
		t.Error("no fault")
	}
	deep := strings.Repeat("[", 200_000)
	if got := faultsOf(t, Sources{}, deep); !strings.Contains(got, "this is not YAML") {
		t.Errorf("%.200s", got)
	}
}

// Each source counts over those before it, and settings tell where they are from.
func TestPrecedence(t *testing.T) {
	file := write(t, "port: 1\nhost: a.example\ntools: [search]\nsession_timeout: 1m\nlimits:\n  rate: 2.5\n  body_bytes: 1MiB\nworkspaces:\n  papers:\n    dir: docs\n    roots: [/srv/r, r]\n    ingest: true\n")
	s, err := Load(Sources{
		File:    file,
		Environ: []string{"CITEKIT_PORT=2", "CITEKIT_LIMITS_RATE=7", "CITEKIT_TOOLS=getNode,resolve", "CITEKIT_TIMEOUTS_GETNODE=3s", "HOME=/x", "CITEKIT_HOTS=1", "CITEKIT_LONG=1"},
		Flags: []Flag{
			{"session-timeout", []string{"session_timeout"}, "2m"}, {"workspace", []string{"workspaces", "v1.0", "dir"}, "/v"}, {"workspace", []string{"workspaces", "papers", "dir"}, "/over"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(file)
	yes := true
	want := Default()
	want.Port, want.Host, want.Tools, want.SessionTimeout = 2, "a.example", []string{"getNode", "resolve"}, Duration(2*time.Minute)
	want.Limits.Rate, want.Limits.BodyBytes = 7, 1<<20
	want.Limits = want.Limits.filled()
	want.Timeouts = map[string]Duration{"getNode": Duration(3 * time.Second)}
	want.Workspaces = map[string]Workspace{
		"papers": {Dir: "/over", Roots: []string{"/srv/r", filepath.Join(folder, "r")}, Ingest: &yes}, "v1.0": {Dir: "/v"},
	}
	if diff := cmp.Diff(want, s.Config); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, test := range []struct {
		want    string
		setting []string
	}{
		{"flag --session-timeout", []string{"session_timeout"}}, {file + ":2", []string{"host"}}, {"environment variable CITEKIT_LIMITS_RATE", []string{"limits", "rate"}},
		{file + ":7", []string{"limits", "body_bytes"}}, {"default", []string{"limits", "calls"}}, {"flag --workspace", []string{"workspaces", "v1.0", "dir"}},
		{file + ":11", []string{"workspaces", "papers", "roots"}},
	} {
		if got := s.Origin(test.setting...).String(); got != test.want {
			t.Errorf("%v is from %s, want %s", test.setting, got, test.want)
		}
	}
	if diff := cmp.Diff([]string{
		"environment variable CITEKIT_HOTS is not a setting; did you mean CITEKIT_HOST?",
		file + ":2: host has no effect without transport: http",
	}, s.Warnings); diff != "" {
		t.Error(diff)
	}
	if !s.Given("limits") || !s.Given("workspaces", "v1.0") || s.Given("oauth") || s.Given("tls") {
		t.Error("Given")
	}
}

// TestUnknownVariables has variables that are no settings, near one and far from all.
func TestUnknownVariables(t *testing.T) {
	s, err := Load(Sources{Environ: []string{"CITEKIT_WORKSPACE_FOLDER=/srv", "CITEKIT_TRANSPORTS=http", "CITEKIT_LONG=1", "CITEKIT_KEY_FILE=k", "OTHER=1"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"environment variable CITEKIT_WORKSPACE_FOLDER is not a setting; 'citekit config' prints all settings",
		"environment variable CITEKIT_TRANSPORTS is not a setting; did you mean CITEKIT_TRANSPORT?",
	}, s.Warnings); diff != "" {
		t.Error(diff)
	}
}

// Kubernetes sets variables by the names of services.
// TestVariablesThatAreRead looks into the code for the variables that something reads.
func TestVariablesThatAreRead(t *testing.T) {
	read := regexp.MustCompile(`(?:Getenv|LookupEnv)\("(CITEKIT_[A-Z_]+)"|Variable += "(CITEKIT_[A-Z_]+)"`)
	var environ []string
	err := filepath.WalkDir(filepath.Join("..", "..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range read.FindAllStringSubmatch(string(data), -1) {
			environ = append(environ, m[1]+m[2]+"=1")
		}
		return err
	})
	if err != nil || len(environ) < 40 {
		t.Fatalf("only %d variables are read: %v", len(environ), err)
	}
	_, warnings := readEnvironment(environ)
	for _, warning := range warnings {
		t.Error(warning)
	}
}

func TestKubernetes(t *testing.T) {
	s, err := Load(Sources{Environ: []string{"CITEKIT_PORT=tcp://10.0.0.1:8808", "CITEKIT_PORT_8808_TCP_ADDR=10.0.0.1", "CITEKIT_SERVICE_HOST=10.0.0.1", "CITEKIT_SERVICE_PORT=8808"}})
	if err != nil || s.Port != 8808 || s.Given("port") || len(s.Warnings) > 0 {
		t.Error(err, s)
	}
}

func TestFaultsOfEnvironmentAndFlags(t *testing.T) {
	got := faultsOf(t, Sources{
		Environ: []string{"CITEKIT_PORT=x", "CITEKIT_LIMITS_WAIT=3"},
		Flags: []Flag{
			{"port", []string{"port"}, "65536"}, {"workspace", []string{"workspaces", "a b", "dir"}, "x"}, {"odd", []string{"none"}, ""},
			{"model-config", []string{"model", "config"}, "[]"},
		},
	}, "")
	want := `environment variable CITEKIT_LIMITS_WAIT: limits.wait: bad value "3": write a time with its unit, such as 30s, 500ms or 10m
environment variable CITEKIT_PORT: port: bad value "x": write a whole number
flag --model-config: write a JSON object, such as {"model": "…"}
flag --odd: there is no setting none
flag --port: bad value "65536": ports run from 0 to 65535
flag --workspace: bad value "a b": names have 1 to 64 ASCII letters, digits, "-", "_" and ".", and begin with a letter or digit`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is printed sets the same again.
func TestYAML(t *testing.T) {
	file := write(t, "host: '127.0.0.1'\nhosts: ['1', \"a: b\"]\nmodel: {name: gemini, config: {model: m, temperature: 0.5}}\nlimits: {rate: 0.5, body_bytes: 3}\nworkspaces: {'2024': {dir: a}}\ntimeouts: {answer: 1m30s}\n")
	s, err := Load(Sources{File: file, Environ: []string{"CITEKIT_LOG_LEVEL=info"}})
	if err != nil {
		t.Fatal(err)
	}
	text := s.YAML()
	again, err := Load(Sources{File: write(t, string(text))})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if now, restart := Changes(s, again); len(now)+len(restart) > 0 {
		t.Errorf("%v %v\n%s", now, restart, text)
	}
	for _, want := range []string{
		"port: 8808 # default\n", "  rate: 0.5 # " + file + ":4\n", "  level: info # environment variable CITEKIT_LOG_LEVEL\n", "tools: [] # default\n",
		"session_timeout: 10m # default\n", "  calls: 64 # default\n", "  bytes_per_minute: 1GiB # default\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

func TestChanges(t *testing.T) {
	before, err := Load(Sources{File: write(t, "port: 1\nlimits: {rate: 2}\ntimeouts: {answer: 1s}\nworkspaces: {a: {dir: x}}\n")})
	if err != nil {
		t.Fatal(err)
	}
	after, err := Load(Sources{File: write(t, "port: 2\nlimits: {rate: 3, calls: 64}\ntimeouts: {search: 1s}\nlog: {level: debug}\ntools: []\nworkspaces: {b: {dir: y}}\n")})
	if err != nil {
		t.Fatal(err)
	}
	now, restart := Changes(before, after)
	if diff := cmp.Diff([]string{"limits.burst", "limits.rate", "log.level", "timeouts.answer", "timeouts.search"}, now); diff != "" {
		t.Error(diff)
	}
	if len(restart) < 3 || restart[0] != "port" || !strings.HasPrefix(restart[1], "workspaces.a.") {
		t.Error(restart)
	}
}

// Each setting has what it means, and a name that a variable and a flag can have.
func TestSettingsAreDescribed(t *testing.T) {
	var look func(p path, m member)
	look = func(p path, m member) {
		for _, inner := range members(m.typ) {
			at := p.to(inner.name)
			if !strings.HasSuffix(inner.about, ".") || inner.name == "" || strings.ContainsAny(inner.name, "-. /") || strings.ToLower(inner.name) != inner.name {
				t.Errorf("%s: name %q, about %q", at, inner.name, inner.about)
			}
			switch inner.typ.Kind() {
			case reflect.Struct:
				look(at, inner)
			case reflect.Map:
				if inner.typ.Elem().Kind() == reflect.Struct {
					look(at, member{typ: inner.typ.Elem()})
				}
			}
		}
	}
	look("", member{typ: configType})
	seen := make(map[string]path)
	for _, p := range everySetting() {
		if other, ok := seen[p.variable()]; ok {
			t.Errorf("%s and %s have the variable %s", p, other, p.variable())
		}
		seen[p.variable()] = p
		if isSecret(string(p)) {
			t.Errorf("%s looks like a secret", p)
		}
	}
}

// TestSchemaAgrees holds the schema to what Load takes.
func TestSchemaAgrees(t *testing.T) {
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	defaults, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	whole := defaults.YAML()
	for _, text := range []string{
		string(whole), "limits:\n", "port: 1", "port: 65536", "prot: 1", "port: x", "tools: [search]", "tools: [x]", "timeouts: {search: 5s}", "timeouts: {serch: 5s}",
		"timeouts: {search: 5}", "workspaces: {a: {dir: x}}", "workspaces: {a b: {dir: x}}", "workspaces: {a: {dir: x, nothing: 1}}", "workspaces: {a: {dir: x, ingest: true}}",
		"log: {level: info}", "log: {level: loud}", "limits: {body_bytes: 1MiB}", "limits: {body_bytes: 12}", "limits: {body_bytes: x}", "session_timeout: 1h30m", "session_timeout: long",
		"model: {name: gemini, config: {model: x}}", "model: {name: nobody}", "sse: 'true'", "hosts: a", "hosts: [1]", "mapper: {retries: 101}", "limits: {rate: x}", "limits: {rate: 1.5}",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		byLoad := faultsOf(t, Sources{}, text)
		if err := resolved.Validate(value); (err == nil) != (byLoad == "") {
			t.Errorf("%s: schema: %v, Load: %s", text, err, byLoad)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"port: 1\n", "workspaces:\n  a: {dir: x, roots: [y]}\n", "a: &a [*a]\n", "limits: {rate: 1e9, wait: 5s}\n", "? [a]\n: b\n", "model: {config: {a: {b: [1, ~, .nan]}}}",
		"%YAML 1.1\n---\nport: 0x10\n", "<<: {port: 1}\n", "timeouts: {search: -1s}\n", "port: |\n  3\n", "'a\\x1fb': 1\n\"workspaces\\x1fa\\x1fdir\": x\nworkspaces: {\"a\\x1fdir\": {dir: x}}\noauth: {grants: {'api://x/.y': {tools: [search]}}}", "? &a\n: *a\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newLayer()
		parseFile(l, "f", "/dir", data)
		s, err := load(Sources{File: "f"}, l)
		if err != nil {
			var faults Faults
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			for _, fault := range faults {
				if fault.Message == "" || fault.Origin == (Origin{}) || strings.ContainsAny(fault.Error(), "\n\x1b") {
					t.Errorf("%+v", fault)
				}
			}
			return
		}
		text := s.YAML()
		l = newLayer()
		parseFile(l, "f", "/dir", text)
		again, err := load(Sources{File: "f"}, l)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if now, restart := Changes(s, again); len(now)+len(restart) > 0 {
			t.Errorf("%v %v\n%s", now, restart, text)
		}
	})
}

func FuzzValues(f *testing.F) {
	f.Add("1h30m")
	f.Add("512MiB")
	f.Add(`{"a": [1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseDuration(text); err == nil {
			if again, err := parseDuration(d.String()); err != nil || again != d {
				t.Errorf("%q: %v, %v", text, again, err)
			}
		}
		if s, err := parseSize(text); err == nil {
			if again, err := parseSize(s.String()); err != nil || again != s {
				t.Errorf("%q: %v, %v", text, again, err)
			}
		}
		if j, err := parseJSON(text); err == nil && j != "" {
			if again, err := parseJSON(string(j)); err != nil || again != j {
				t.Errorf("%q: %v, %v", text, again, err)
			}
		}
	})
}

// What a file says in vain is told.
func TestWarnsWithoutTransport(t *testing.T) {
	for text, want := range map[string]int{
		"keys: keys.json\nport: 80\nlimits: {extractions: 2}\n": 2,
		"transport: http\nkeys: keys.json\n":                    0,
		"transport: stdio\nkeys: keys.json\n":                   0,
	} {
		s, err := Load(Sources{File: write(t, text)})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Warnings) != want || want > 0 && !strings.Contains(strings.Join(s.Warnings, "\n"), "keys has no effect without transport: http") {
			t.Errorf("%q: %q", text, s.Warnings)
		}
	}
}
