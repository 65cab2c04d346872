//go:build unix

package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// teamPatience is how long a test waits for what must come, on any machine.
const teamPatience = 3 * time.Minute

// A teamServer is the command as a process, with a file of settings.
type teamServer struct {
	terminated sync.Once
	t          *testing.T
	dir        string // of the settings
	settings   string
	url        string
	cmd        *exec.Cmd

	mu  sync.Mutex
	log strings.Builder
}

// startTeam serves what the settings say. The workspaces red and blue, with one text
// each, are in the folder of the settings.
func startTeam(t *testing.T, settings string, args ...string) *teamServer {
	t.Helper()
	s := &teamServer{t: t, dir: t.TempDir()}
	s.settings = filepath.Join(s.dir, "citekit.yaml")
	s.write(settings)
	for _, name := range []string{"red", "blue"} {
		dir := filepath.Join(s.dir, name)
		must(t, os.Mkdir(dir, 0o700))
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte("What "+name+" says.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.run("ingest", "--dir", dir, ".")
	}
	s.cmd = exec.Command("citekit", append([]string{"serve", "--config", s.settings}, args...)...)
	s.cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+s.dir, "HOME="+s.dir)
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.cmd.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewReader(pipe); ; {
			line, err := lines.ReadString('\n')
			s.mu.Lock()
			s.log.WriteString(line)
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		s.terminate()
		<-read
		if err := s.cmd.Wait(); err != nil || strings.Contains(s.logged(), "metrics are no longer served") {
			t.Errorf("%v\n%s", err, s.logged())
		}
	})
	_, address, _ := strings.Cut(s.await("serving MCP at http://"), "serving MCP at ")
	s.url = strings.TrimSuffix(strings.Fields(address)[0], "/mcp")
	return s
}

// terminate asks the server to end. A second request would end it at once.
func (s *teamServer) terminate() {
	s.terminated.Do(func() {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			s.t.Error(err)
		}
	})
}

func (s *teamServer) write(settings string) {
	s.t.Helper()
	if err := os.WriteFile(s.settings, []byte(settings), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// run runs another command and returns what it prints.
func (s *teamServer) run(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("citekit", args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+s.dir, "HOME="+s.dir)
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (s *teamServer) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// await waits until the server has said something, and returns all that it has.
func (s *teamServer) await(text string) string {
	s.t.Helper()
	s.until("the log has "+text, func() bool { return strings.Contains(s.logged(), text) })
	return s.logged()
}

func (s *teamServer) until(what string, is func() bool) {
	s.t.Helper()
	for end := time.Now().Add(teamPatience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("not so: %s\n%s", what, s.logged())
		}
	}
}

// reload has the server read its settings again, which it tells with a text.
func (s *teamServer) reload(settings, told string) {
	s.t.Helper()
	s.write(settings)
	before := strings.Count(s.logged(), told)
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
	s.until("the log has "+told+" again", func() bool { return strings.Count(s.logged(), told) > before })
}

// get returns the status and the body of a page.
func (s *teamServer) get(path string) (int, string) {
	s.t.Helper()
	answer, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// request sends one request of the newest version, which needs no session.
func (s *teamServer) request(token, workspace, method, params string) (int, string) {
	s.t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, meta)
	r, err := http.NewRequest("POST", s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Method": method, "Authorization": "Bearer " + token, "X-Mcp-Workspace": workspace,
	} {
		if value != "" && value != "Bearer " {
			r.Header.Set(name, value)
		}
	}
	if method == "tools/call" {
		var named struct{ Name string }
		if err := json.Unmarshal([]byte("{"+strings.TrimSuffix(params, ",")+"}"), &named); err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set("Mcp-Name", named.Name)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

const listCall = `"name":"listResources","arguments":{},`

const teamSettings = `transport: http
port: 0
keys: keys.json
workspaces:
  red: {dir: red}
  blue: {dir: blue}
log:
  format: json
audit:
  file: audit.log
`

// Each key sees its own workspace, and the operator sees who did what.
func TestServeTeam(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	made := &teamServer{t: t, dir: t.TempDir()}
	red := made.run("key", "new", "--keys", keys, "--workspace", "red")
	both := made.run("key", "new", "--keys", keys, "--workspace", "blue", "--workspace", "red")
	s := startTeam(t, "public_url: https://cite.example/\nmetrics: {listen: \"127.0.0.1:0\"}\n"+strings.ReplaceAll(teamSettings, "keys.json", keys), "--metrics")
	for _, test := range []struct {
		token, workspace string
		status           int
		has, hasNot      string
	}{
		{red, "", 200, `["red"]`, "blue"}, {red, "red", 200, `["red"]`, "blue"}, {both, "", 200, `["blue"]`, `["red"]`}, {both, "red", 200, `["red"]`, "blue"},
		{red, "blue", 403, "no such workspace", "blue"}, {"", "", 401, "needs a token", "red"}, {red + "x", "", 401, "not valid", `["red"]`},
	} {
		status, body := s.request(test.token, test.workspace, "tools/call", listCall)
		if status != test.status || !strings.Contains(body, test.has) || strings.Contains(body, test.hasNot) {
			t.Errorf("%.12s in %q: %d %s", test.token, test.workspace, status, body)
		}
	}
	status, body := s.request(red, "", "tools/call", `"name":"resolve","arguments":{"address":"text://red#lines=1"},`)
	if status != 200 || !strings.Contains(body, `"evidence_url":"https://cite.example/evidence/`) {
		t.Errorf("a link behind a proxy: %d %s", status, body)
	}
	if status, body := s.get("/readyz"); status != 200 {
		t.Error(status, body)
	}
	info, err := os.Stat(filepath.Join(s.dir, "audit.log"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	var audit []byte
	s.until("the audit log has a call of blue", func() bool { // which is written after the answer
		audit, err = os.ReadFile(filepath.Join(s.dir, "audit.log"))
		return err != nil || strings.Contains(string(audit), `"workspace":"blue"`)
	})
	if err != nil || strings.Contains(string(audit), red) || strings.Contains(s.logged(), red) {
		t.Errorf("%v: %s\n%s", err, audit, s.logged())
	}
	s.await(`"msg":"request"`)
	s.await(`"msg":"started","version":"`)
	s.await(`"tls":false,"authentication":true,"workspaces":2,"roots":0}`)
	s.terminate()
	s.await(`"msg":"stopped","reason":"terminated","ran_s":`)
}

// Tools of a dialect reach the workspaces of a key by workspaceId, as far as the settings
// of each workspace offer them.
func TestServeTeamDialect(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	both := (&teamServer{t: t, dir: t.TempDir()}).run("key", "new", "--keys", keys, "--workspace", "red", "--workspace", "blue", "--tools", "search,get_contents")
	settings := strings.NewReplacer("keys.json", keys, "{dir: blue}", "{dir: blue, tools: [search, answer]}", "{dir: red}", "{dir: red, timeouts: {search: 1ns}}").Replace(teamSettings)
	s := startTeam(t, "dialects: [lightfast]\n"+settings)
	for _, test := range []struct{ workspace, params, has, hasNot string }{
		{"red", `"name":"search","arguments":{"q":"says"},`, "urn:citekit:error:timeout", "What red"},
		{"blue", `"name":"search","arguments":{"q":"says"},`, "What blue", "What red"},
		{"red", `"name":"get_contents","arguments":{"ids":[{"kind":"document","id":"red"}]},`, "What red", "blue"},
		{"red", `"name":"get_contents","arguments":{"workspaceId":"blue","ids":[{"kind":"document","id":"blue"}]},`, "no such workspace", "What"},
		{"blue", `"name":"get_contents","arguments":{"ids":[{"kind":"document","id":"blue"}]},`, "unknown tool", "What"},
		{"blue", `"name":"get_contents","arguments":{"workspaceId":"red","ids":[{"kind":"document","id":"red"}]},`, "unknown tool", "What"},
		{"blue", `"name":"answer","arguments":{"question":"What?"},`, "unknown tool", "What b"},
		{"blue", `"name":"listResources","arguments":{},`, "unknown tool", "blue.txt"},
	} {
		if _, body := s.request(both, test.workspace, "tools/call", test.params); !strings.Contains(body, test.has) || strings.Contains(body, test.hasNot) {
			t.Errorf("%s %s: %s; want %s", test.workspace, test.params, body, test.has)
		}
	}
	if _, body := s.request(both, "blue", "tools/list", ""); strings.Count(body, `"inputSchema"`) != 1 {
		t.Errorf("tools in blue: %s", body)
	}
	s.until("the audit log has calls of both", func() bool {
		audit, _ := os.ReadFile(filepath.Join(s.dir, "audit.log"))
		return strings.Contains(string(audit), `"workspace":"red","tool":"get_contents"`) && strings.Contains(string(audit), `"workspace":"blue","tool":"search"`)
	})
}

// A second server on the same ports blames the main one. The first, which has metrics,
// ends without an error in its log, as startTeam checks.
func TestServeTeamTwice(t *testing.T) {
	settings := strings.Replace(teamSettings, "keys: keys.json\n", "metrics: {enabled: true, listen: \"127.0.0.1:0\"}\n", 1)
	s := startTeam(t, settings)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	taken := filepath.Join(s.dir, "taken.yaml")
	settings = strings.NewReplacer("port: 0", "port: "+port, "127.0.0.1:0", "127.0.0.1:"+port, "audit.log", "other.log").Replace(settings)
	must(t, os.WriteFile(taken, []byte(settings), 0o600))
	second := exec.Command("citekit", "serve", "--config", taken)
	second.Env = s.cmd.Env
	out, err := second.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--port "+port) || !strings.Contains(string(out), "another program listens there") || strings.Contains(string(out), "metrics") {
		t.Errorf("%v: %s", err, out)
	}
	s.await("serving metrics")
}

// TestServeStops stops a server during a download that nobody reads on: the download
// has its time, and the log says that the server stopped.
func TestServeStops(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "keys.json")
	red := (&teamServer{t: t, dir: t.TempDir()}).run("key", "new", "--keys", keys, "--workspace", "red")
	s := startTeam(t, strings.ReplaceAll(teamSettings, "keys.json", keys))
	long := filepath.Join(s.dir, "red", "long.txt")
	must(t, os.WriteFile(long, []byte(strings.Repeat("A line of a long text.\n", 1<<20)), 0o600))
	s.run("ingest", "--dir", filepath.Dir(long), long)
	_, body := s.request(red, "", "tools/call", `"name":"resolve","arguments":{"address":"text://long#lines=1-1000000"},`)
	_, path, found := strings.Cut(body, s.url)
	if !found {
		t.Fatalf("no link in %.300s", body)
	}
	path = path[:strings.IndexAny(path, `"\\`)]
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, conn.RemoteAddr())
	if line, err := bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
		t.Fatalf("%q, %v", line, err)
	}
	s.terminate()
	s.await(`"msg":"stopped"`)
}

// A server takes over what it can, tells what needs a restart, and keeps its
// settings where the new ones are wrong.
func TestServeReloads(t *testing.T) {
	settings := strings.Replace(teamSettings, "keys: keys.json\n", "", 1)
	s := startTeam(t, settings)
	tools := func() string {
		status, body := s.request("", "", "tools/list", "")
		if status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		return body
	}
	if all := tools(); !strings.Contains(all, `"search"`) || !strings.Contains(all, `"getNode"`) {
		t.Error(all)
	}
	s.reload(settings+"tools: [getNode]\n", "settings reloaded")
	if fewer := tools(); strings.Contains(fewer, `"search"`) || !strings.Contains(fewer, `"getNode"`) {
		t.Error(fewer)
	}
	s.reload(settings+"tool: [search]\nport: many\n", "the settings stay as they were")
	s.await("did you mean tools?")
	s.await("citekit.yaml:11: port: it is given twice, first in line 2")
	if fewer := tools(); strings.Contains(fewer, `"search"`) {
		t.Error(fewer)
	}
	s.reload(settings+"tools: [search]\nstateless: true\nlimits: {rate: -1}\n", "settings reloaded")
	s.await(`"setting":"stateless"`)
	s.await("limits.rate")
	if other := tools(); !strings.Contains(other, `"search"`) || strings.Contains(other, `"getNode"`) {
		t.Error(other)
	}

	// Logs are turned over.
	audit := filepath.Join(s.dir, "audit.log")
	must(t, os.Rename(audit, audit+".1"))
	const search = `"name":"search","arguments":{"query":"says"},`
	late := func() bool {
		_, body := s.request("", "", "tools/call", search)
		return strings.Contains(body, "TIMEOUT") || strings.Contains(body, `"complete":false`)
	}
	s.reload(settings+"timeouts: {search: 1m}\n", "settings reloaded")
	if late() {
		t.Error("a search was late with a minute")
	}
	s.reload(settings+"timeouts: {search: 1ns}\n", "settings reloaded")
	if !late() {
		t.Error("a search was in time without any")
	}
	s.until("the new audit log has the call", func() bool {
		data, _ := os.ReadFile(audit)
		return strings.Contains(string(data), `"tool":"search"`)
	})
}

// A folder that vanishes turns /readyz red, and leaves the other workspace as it is.
func TestServeFolderVanishes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	s := startTeam(t, strings.Replace(teamSettings, "keys: keys.json\n", "", 1))
	s.until("/readyz is green", func() bool { status, _ := s.get("/readyz"); return status == 200 })
	must(t, os.Rename(filepath.Join(s.dir, "red"), filepath.Join(s.dir, "gone")))
	s.until("/readyz is red", func() bool { status, _ := s.get("/readyz"); return status == 503 })
	// What is gone is not answered as if there were nothing.
	if status, body := s.request("", "red", "tools/call", listCall); status != 503 || !strings.Contains(body, "cannot be read") {
		t.Error(status, body)
	}
	if status, body := s.request("", "blue", "tools/call", listCall); status != 200 || !strings.Contains(body, "blue") {
		t.Error(status, body)
	}
	must(t, os.Mkdir(filepath.Join(s.dir, "red"), 0o700))
	s.until("the log tells of another folder", func() bool {
		s.get("/readyz")
		return strings.Contains(s.logged(), "not the same folder as when the server started")
	})
	must(t, os.Remove(filepath.Join(s.dir, "red")))
	if err := os.Rename(filepath.Join(s.dir, "gone"), filepath.Join(s.dir, "red")); err != nil {
		t.Fatal(err)
	}
	s.until("/readyz is green", func() bool { status, _ := s.get("/readyz"); return status == 200 })
	if status, body := s.request("", "red", "tools/call", listCall); status != 200 || !strings.Contains(body, `"red"`) && !strings.Contains(body, `\"red\"`) {
		t.Error(status, body)
	}
}
