// Package clients knows the configuration files of MCP clients, and adds a server to
// them or takes it out again. What else is in a file, comments and layout included,
// stays as it is, byte by byte.
package clients

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
)

// maxFile is the most that a configuration may have, in bytes. Claude Code keeps the
// history of its projects in the same file.
const maxFile = 64 << 20

// A Server is what a client starts.
type Server struct {
	Name    string // a word of letters, digits, "-" and "_"
	Command string // an absolute path
	Args    []string
}

// A Client is a program with a configuration file that lists servers.
type Client struct {
	Name  string // as people write it, such as "vscode"
	Title string // as it calls itself
	Next  string // what a person does then

	user    func(places) string // where a person's file is
	project string              // the file in the folder of a project, with "/"; "" if there is none
	file    format
	entry   func(Server) any // what the file says of a server, as a value that the format can write
}

// A format reads and changes one kind of file. The data is not empty.
type format interface {
	decode(data []byte) (map[string]any, error)
	set(data []byte, name string, entry any) ([]byte, error) // adds the entry, or replaces it
	remove(data []byte, name string) ([]byte, error)
	servers() string // the key under which the servers are
	empty() []byte   // a file without servers
}

// places are the folders of a person.
type places struct{ home, config string }

// all are the clients, by name. Where a file is and what it holds is from the
// documentation of each client.
var all = []*Client{
	{
		Name: "claude-code", Title: "Claude Code", Next: "Start Claude Code again; /mcp lists its servers.",
		user: func(p places) string {
			return filepath.Join(envOr("CLAUDE_CONFIG_DIR", p.home), ".claude.json")
		},
		project: ".mcp.json", file: jsonFile("mcpServers"), entry: typed,
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", Next: "Quit Claude Desktop and start it again.",
		user: func(p places) string { return filepath.Join(p.config, "Claude", "claude_desktop_config.json") },
		file: jsonFile("mcpServers"), entry: untyped,
	},
	{
		Name: "codex", Title: "Codex", Next: "Start Codex again; /mcp lists its servers.",
		user: func(p places) string {
			return filepath.Join(envOr("CODEX_HOME", filepath.Join(p.home, ".codex")), "config.toml")
		},
		project: ".codex/config.toml", file: tomlFile("mcp_servers"), entry: untyped,
	},
	{
		Name: "cursor", Title: "Cursor", Next: "Cursor asks whether to enable the new server.",
		user:    func(p places) string { return filepath.Join(p.home, ".cursor", "mcp.json") },
		project: ".cursor/mcp.json", file: jsonFile("mcpServers"), entry: untyped,
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", Next: "Start Gemini CLI again; /mcp lists its servers.",
		user:    func(p places) string { return filepath.Join(p.home, ".gemini", "settings.json") },
		project: ".gemini/settings.json", file: jsonFile("mcpServers"), entry: untyped,
	},
	{
		Name: "goose", Title: "goose", Next: "Start goose again.",
		user: func(p places) string {
			if runtime.GOOS == "windows" {
				return filepath.Join(p.config, "Block", "goose", "config", "config.yaml")
			}
			return filepath.Join(envOr("XDG_CONFIG_HOME", filepath.Join(p.home, ".config")), "goose", "config.yaml")
		},
		file: yamlFile("extensions"), entry: func(s Server) any {
			return []field{{"enabled", true}, {"type", "stdio"}, {"name", s.Name}, {"cmd", s.Command}, {"args", s.Args}, {"envs", map[string]any{}}, {"timeout", 300}}
		},
	},
	{
		Name: "vscode", Title: "VS Code", Next: "VS Code asks whether to start the new server.",
		user:    func(p places) string { return filepath.Join(p.config, "Code", "User", "mcp.json") },
		project: ".vscode/mcp.json", file: jsonFile("servers"), entry: typed,
	},
}

// A field is a key with its value. Formats write lists of them in their order.
type field struct {
	key   string
	value any
}

func untyped(s Server) any { return []field{{"command", s.Command}, {"args", s.Args}} }

func typed(s Server) any {
	return append([]field{{"type", "stdio"}}, untyped(s).([]field)...)
}

// envOr returns the folder that the variable names, or otherwise if it names none.
func envOr(variable, otherwise string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return otherwise
}

// Names returns the names of all clients.
func Names() []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return names
}

// Find returns the client of a name, or nil.
func Find(name string) *Client {
	if i := slices.IndexFunc(all, func(c *Client) bool { return c.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// File returns the configuration of this person, or, unless project is "", that of the
// project in a folder.
func (c *Client) File(project string) (string, error) {
	if project != "" {
		if c.project == "" {
			return "", fmt.Errorf("%s has no configuration for one project: leave --project out", c.Title)
		}
		return filepath.Join(project, filepath.FromSlash(c.project)), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return c.user(places{home, config}), nil
}

// Install returns the file with the server added, or with the server of that name
// replaced; data that is empty is a new file.
func (c *Client) Install(data []byte, s Server) ([]byte, error) {
	alone, err := c.change(nil, s.Name, c.entry(s))
	if err != nil {
		return nil, err
	}
	want, err := c.server(alone, s.Name)
	if err != nil {
		return nil, err
	}
	if has, err := c.server(data, s.Name); err == nil && reflect.DeepEqual(has, want) {
		return data, nil
	}
	return c.change(data, s.Name, c.entry(s))
}

// server returns what the file says of a server, nil if it has none.
func (c *Client) server(data []byte, name string) (any, error) {
	all, err := c.read(data)
	return table(all, c.file.servers())[name], err
}

// Uninstall returns the file without the server of that name.
func (c *Client) Uninstall(data []byte, name string) ([]byte, error) {
	return c.change(data, name, nil)
}

// Undo returns what the file was before Install, where backup is the file as Install
// found it, nil if there was none. What has changed since then, beyond the server,
// stays. It returns nil if the file is to be deleted.
func (c *Client) Undo(data, backup []byte, name string) ([]byte, error) {
	without, err := c.Uninstall(data, name)
	if err != nil {
		return nil, err
	}
	if len(backup) == 0 {
		if same, err := c.same(without, c.file.empty()); err != nil || same {
			return nil, err
		}
		return without, nil
	}
	before, err := c.Uninstall(backup, name)
	if err != nil {
		return nil, err
	}
	if same, err := c.same(without, before); err != nil || same {
		return backup, err
	}
	if has, err := c.Has(backup, name); err != nil || has {
		return nil, errors.Join(err, errors.New("it has changed since, and had another server of that name, which only the backup has"))
	}
	return without, nil
}

// Has reports whether the file has a server of that name.
func (c *Client) Has(data []byte, name string) (bool, error) {
	server, err := c.server(data, name)
	return server != nil, err
}

// change sets an entry, or removes it if it is nil, and checks that nothing else of what
// the file says has changed.
func (c *Client) change(data []byte, name string, entry any) (changed []byte, err error) {
	if len(data) == 0 {
		data = c.file.empty()
	}
	before, err := c.read(data)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		changed, err = c.file.remove(data, name)
	} else {
		changed, err = c.file.set(data, name, entry)
	}
	if err != nil {
		return nil, err
	}
	after, err := c.read(changed)
	if err != nil {
		return nil, fmt.Errorf("it is written in a way that cannot be added to (%w)", err)
	}
	key := c.file.servers()
	_, has := table(after, key)[name]
	delete(table(before, key), name)
	delete(table(after, key), name)
	dropEmpty(before, key)
	dropEmpty(after, key)
	if has != (entry != nil) || !reflect.DeepEqual(before, after) {
		return nil, errors.New("it is written in a way that cannot be changed without touching what else it has")
	}
	return changed, nil
}

// same reports whether two files say the same.
func (c *Client) same(a, b []byte) (bool, error) {
	x, err := c.read(a)
	if err != nil {
		return false, err
	}
	y, err := c.read(b)
	if err != nil {
		return false, err
	}
	dropEmpty(x, c.file.servers())
	dropEmpty(y, c.file.servers())
	return reflect.DeepEqual(x, y), nil
}

// read returns what a file says.
func (c *Client) read(data []byte) (map[string]any, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	if len(data) == 0 {
		return map[string]any{}, nil
	}
	return c.file.decode(data)
}

func table(of map[string]any, key string) map[string]any {
	t, _ := of[key].(map[string]any)
	return t
}

// dropEmpty removes a key without values, which says what no key says.
func dropEmpty(of map[string]any, key string) {
	if servers, is := of[key].(map[string]any); of[key] == nil || is && len(servers) == 0 {
		delete(of, key)
	}
}
