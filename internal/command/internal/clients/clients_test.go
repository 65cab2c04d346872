package clients

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var ours = Server{Name: "citekit", Command: `C:\Program Files\citekit.exe`, Args: []string{"serve", "--dir", "/home/ada/Tides & <others>"}}

// files are configurations as people have them, with other servers and comments.
var files = map[string][]string{
	"json": {
		"", "{}", "{\n}\n", "\ufeff{}\r\n", `{"mcpServers": {}, "servers": {}}`,
		"{\n  \"theme\": \"dark\" // at night\n}\n",
		"{\n\t\"mcpServers\": {\n\t\t\"files\": {\n\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\"-y\", \"a/b\"]\n\t\t}\n\t},\n\t\"servers\": {\n\t\t\"files\": {\"command\": \"x\"} // mine\n\t}\n}\n",
		"// all\n{\n    \"servers\": {\n        // none yet\n    },\n    \"mcpServers\": {\n        \"a\": {\"url\": \"https://example.com\"}, /* one */\n        \"b\": {},\n    },\n    \"inputs\": [1, 2.50, 1e400,],\n}",
		"{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  },\r\n  \"servers\": {\"a\": {}}\r\n}\r\n",
		`{"mcpServers":{"citekit":{"command":"old","env":{"A":"1"}},"z":{}},"servers":{"y":{},"citekit":{"command":"old"}}}`,
		"{\n  \"mcpServers\": {\n    \"citekit\": {\n      \"command\": \"old\"\n    } // mine\n  },\n  \"servers\": {\n    \"a\": {}, // the first\n    \"citekit\": {}\n  }\n}\n",
	},
	"toml": {
		"", "\n", "model = \"o\" # the model", "model = \"o\"\r\n\r\n[tools]\r\nweb = true\r\n",
		"[mcp_servers.files]\ncommand = \"npx\"\n\n[mcp_servers.files.env]\nA = \"1\"\n\n# the profile\n[profiles.x]\ny = '''\n[mcp_servers.citekit]\n'''\n",
		"[mcp_servers.citekit]\ncommand = 'old'\n[mcp_servers.citekit.env]\nA = \"1\"\n\n# another\n[mcp_servers.\"z z\"]\ncommand = \"z\"\n",
		"[[notes]]\nx = 1\n[ mcp_servers . \"citekit\" ]\ncommand = 'old'",
	},
	"yaml": {
		"", "\n", "GOOSE_MODEL: x # the model", "# mine\nextensions: {}\nGOOSE_MODEL: x\n", "extensions:\nGOOSE_MODEL: x\n", "extensions:",
		"GOOSE_MODEL: x\nextensions:\n  # built in\n  developer:\n    enabled: true\n    type: builtin\n    timeout: 300\n\n  other: {enabled: false}\n# the end\n",
		"extensions:\n    citekit:\n        cmd: old\n        args:\n        - a\n        note: |\n            x\n\n            y\n    z:\n        cmd: z\n",
		"extensions:\r\n  a:\r\n    cmd: a\r\nb: 1\r\n",
		"extensions:\n  citekit:\n    cmd: old",
	},
}

func kindOf(c *Client) string {
	switch c.file.(type) {
	case tomlFile:
		return "toml"
	case yamlFile:
		return "yaml"
	}
	return "json"
}

func TestInstall(t *testing.T) {
	for _, c := range all {
		for _, text := range files[kindOf(c)] {
			checkInstall(t, c, []byte(text))
		}
	}
}

// checkInstall checks that a server is added once, that all lines of others stay as they
// are, and that it can be taken out and undone.
func checkInstall(t *testing.T, c *Client, before []byte) {
	t.Helper()
	had, err := c.Has(before, ours.Name)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	after, err := c.Install(before, ours)
	if err != nil {
		t.Fatalf("%s: %q: %v", c.Name, before, err)
	}
	all, err := c.read(after)
	if err != nil {
		t.Fatalf("%s: %q became %q: %v", c.Name, before, after, err)
	}
	entry := table(table(all, c.file.servers()), ours.Name)
	command, args := entry["command"], entry["args"]
	if c.Name == "goose" {
		command = entry["cmd"]
	}
	if command != ours.Command || !cmp.Equal(args, []any{ours.Args[0], ours.Args[1], ours.Args[2]}) {
		t.Errorf("%s: %q became %q", c.Name, before, after)
	}
	if !had {
		rest := after
		for _, b := range bytes.ReplaceAll(bytes.Join(bytes.Fields(before), []byte(" ")), []byte(" "), nil) {
			at := bytes.IndexByte(rest, b)
			if at < 0 {
				t.Errorf("%s: %q became %q, which lacks something of it", c.Name, before, after)
				break
			}
			rest = rest[at+1:]
		}
		if bytes.Contains(before, []byte("\r\n")) && bytes.Count(after, []byte("\n")) != bytes.Count(after, []byte("\r\n")) {
			t.Errorf("%s: %q has lines that end otherwise: %q", c.Name, before, after)
		}
	}
	again, err := c.Install(after, ours)
	if err != nil || !bytes.Equal(again, after) {
		t.Errorf("%s: %q became %q when installed twice: %v", c.Name, after, again, err)
	}
	without, err := c.Uninstall(after, ours.Name)
	if err != nil {
		t.Errorf("%s: %q: %v", c.Name, after, err)
	}
	if has, err := c.Has(without, ours.Name); has || err != nil {
		t.Errorf("%s: %q has the server still: %v", c.Name, without, err)
	}
	undone, err := c.Undo(after, before, ours.Name)
	if err != nil || !bytes.Equal(undone, before) {
		t.Errorf("%s: %q became %q, and %q when undone: %v", c.Name, before, after, undone, err)
	}
}

func TestLayout(t *testing.T) {
	got, err := Find("cursor").Install([]byte("{\n\t\"mcpServers\": {\n\t\t\"a\": {\n\t\t\t\"url\": \"u\"\n\t\t} // mine\n\t}\n}\n"), Server{"citekit", "/bin/citekit", []string{"serve"}})
	const want = "{\n\t\"mcpServers\": {\n\t\t\"a\": {\n\t\t\t\"url\": \"u\"\n\t\t}, // mine\n\t\t\"citekit\": {\n\t\t\t\"command\": \"/bin/citekit\",\n\t\t\t\"args\": [\"serve\"]\n\t\t}\n\t}\n}\n"
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	got, err = Find("goose").Install([]byte("extensions:\n  developer:\n    enabled: true\n"), Server{"citekit", "/bin/citekit", []string{"serve"}})
	const block = "extensions:\n  citekit:\n    enabled: true\n    type: \"stdio\"\n    name: \"citekit\"\n    cmd: \"/bin/citekit\"\n    args: [\"serve\"]\n    envs: {}\n    timeout: 300\n  developer:\n    enabled: true\n"
	if err != nil || string(got) != block {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, block)
	}
}

// TestUndoKeepsChanges checks that what a person changed since is kept.
func TestUndoKeepsChanges(t *testing.T) {
	c := Find("cursor")
	backup := []byte(`{"mcpServers": {"a": {}}}`)
	installed, err := c.Install(backup, ours)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(installed, []byte(`"a": {}`), []byte(`"a": {"command": "b"}`), 1)
	got, err := c.Undo(changed, backup, ours.Name)
	if want := `{"mcpServers": {"a": {"command": "b"}}}`; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	backup = []byte(`{"mcpServers": {"citekit": {"command": "old"}, "a": {}}}`)
	if got, err := c.Undo(changed, backup, ours.Name); err == nil {
		t.Errorf("the previous server of the name is lost: %s", got)
	}
}

func TestRefused(t *testing.T) {
	for client, texts := range map[string][]string{
		"cursor": {"{", "[]", `{"mcpServers": []}`, "null", "model = 1", strings.Repeat("[", 1_000_000)},
		"codex":  {"mcp_servers = { files = { command = \"x\" } }\n", "x = ", "x = " + strings.Repeat("[", 1_000_000), "mcp_servers.a.command = \"x\"\n[mcp_servers]\n"},
		"goose":  {"{extensions: {a: {cmd: b}}}", "extensions: {a: {cmd: b}}\n", "- a\n", strings.Repeat("[", 1_000_000), "a: b: c", "extensions: &a {}\nb: *a\n"},
	} {
		for _, text := range texts {
			if got, err := Find(client).Install([]byte(text), ours); err == nil {
				t.Errorf("%s: %.40q became %.200q", client, text, got)
			}
		}
	}
}

func FuzzInstall(f *testing.F) {
	for kind, texts := range files {
		for _, text := range texts {
			f.Add(kind, text)
		}
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		for _, c := range all {
			if kindOf(c) != kind {
				continue
			}
			after, err := c.Install([]byte(text), ours)
			if err != nil {
				continue
			}
			if has, err := c.Has(after, ours.Name); err != nil || !has {
				t.Errorf("%s: %q became %q: %v", c.Name, text, after, err)
			}
			undone, err := c.Undo(after, []byte(text), ours.Name)
			if err == nil && len(text) > 0 && string(undone) != text {
				t.Errorf("%s: %q became %q when undone", c.Name, text, undone)
			}
		}
	})
}
