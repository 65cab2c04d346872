//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metricsql"
	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/workspace/driver"
)

var deploy = filepath.Join("..", "..", "deploy")

// readYAML reads the documents of a file of package deploy.
func readYAML[T any](t *testing.T, name ...string) (all []T) {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{deploy}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := yaml.NewDecoder(f); ; {
		var one T
		err := d.Decode(&one)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

type composed struct {
	Services map[string]struct {
		Image       string
		Command     []string
		Environment map[string]string
		Volumes     []string
	}
	Volumes map[string]any
}

// expressions returns those of the dashboard and the alerts.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	for _, rules := range readYAML[struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For string
				Annotations      map[string]string
			}
		}
	}](t, "alerts.yaml") {
		for _, g := range rules.Groups {
			for _, r := range g.Rules {
				if r.Alert == "" || r.Expr == "" || r.Annotations["summary"] == "" {
					t.Errorf("a rule without a name, an expression or a summary: %+v", r)
				}
				all = append(all, r.Expr)
			}
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	data, err := os.ReadFile(filepath.Join(deploy, "dashboard.json"))
	if err != nil || json.Unmarshal(data, &dashboard) != nil || len(dashboard.Panels) == 0 {
		t.Fatalf("the dashboard: %v", err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}
	return all
}

// A process is one of the command.
type process struct {
	*exec.Cmd
	lines chan string // of the standard error
}

// start starts the command.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{exec.Command("citekit", args...), make(chan string, 1000)}
	pipe, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(p.lines)
		for s := bufio.NewScanner(pipe); s.Scan(); {
			select {
			case p.lines <- s.Text():
			default:
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.Process.Signal(syscall.SIGTERM)
		<-read
		if err := p.Wait(); err != nil && p.ProcessState.ExitCode() != 130 {
			t.Errorf("%v ended with %v", args, err)
		}
	})
	return p
}

// says waits for a line, and returns the first group that matches.
func (p *process) says(t *testing.T, pattern string) string {
	t.Helper()
	var said []string
	for line := range p.lines {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(line); found != nil {
			return found[1]
		}
		said = append(said, line)
	}
	t.Fatalf("it does not say %s: %q", pattern, said)
	return ""
}

// scrape returns the metrics at an address, each by its name and labels.
func scrape(t *testing.T, at string) map[string]string {
	t.Helper()
	answer, err := http.Get("http://" + at + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	found := make(map[string]string)
	for s := bufio.NewScanner(answer.Body); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), "} "); ok {
			found[name+"}"] = value
		} else if name, value, ok := strings.Cut(s.Text(), " "); ok && name != "#" {
			found[name] = value
		}
	}
	return found
}

// until waits until a metric has a value.
func until(t *testing.T, at, metric, value string) {
	t.Helper()
	var now string
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now = scrape(t, at)[metric]; now == value {
			return
		}
	}
	t.Fatalf("%s is %q, want %q", metric, now, value)
}

// notify tells of an object as a bucket does, and returns the code of the answer.
func notify(t *testing.T, at, token, event, key string) int {
	t.Helper()
	body := fmt.Sprintf(`{"Records":[{"eventName":%q,"s3":{"bucket":{"name":"files"},"object":{"key":%q}}}]}`, event, key)
	r, err := http.NewRequest(http.MethodPost, "http://"+at+"/events", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// The server and the worker of compose.yaml run as they are started there; what a bucket
// tells is mapped without a listing; and each metric of the dashboard and the alerts is
// exported by one of them.
func TestOperations(t *testing.T) {
	p := newPlace(t)
	named, sources := p.workspace()
	dir, token := t.TempDir(), "a token of the tests"
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("CITEKIT_WORKSPACE", named)
	t.Setenv("CITEKIT_EVENTS_TOKEN", token)
	services := readYAML[composed](t, "compose.yaml")[0].Services

	args := slices.Clone(services["worker"].Command)
	if i := slices.Index(args, "--listen"); i < 0 {
		t.Fatalf("the worker of compose.yaml has no metrics: %q", args)
	} else {
		args[i+1] = "127.0.0.1:0"
	}
	worker := start(t, args...).says(t, "serving metrics at http://(.*)/metrics")
	bucket, err := s3.Open(sources, &s3.Options{AnyKey: true})
	if err != nil {
		t.Fatal(err)
	}
	// A worker keeps nothing smaller on its disk.
	content := "# Tides\n\n" + strings.Repeat("High water is at 12:40 on Mondays.\n", 10_000)
	if _, err := bucket.Write(t.Context(), "guide.md", strings.NewReader(content), driver.WriteOptions{Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	below := strings.TrimPrefix(strings.Split(sources, "?")[0], "s3://files/")
	if code := notify(t, worker, "another token that is wrong", "ObjectCreated:Put", below+"/guide.md"); code != http.StatusUnauthorized {
		t.Errorf("a notification with another token: %d", code)
	}
	for _, key := range []string{"elsewhere/guide.md", below + "/none.md", below + "/guide.md"} {
		if code := notify(t, worker, token, "ObjectCreated:Put", key); code != http.StatusNoContent {
			t.Errorf("a notification of %s: %d", key, code)
		}
	}
	until(t, worker, `citekit_sources_total{status="mapped"}`, "1")
	until(t, worker, "citekit_index_lag_seconds", "0")
	if err := bucket.Delete(t.Context(), "guide.md", ""); err != nil {
		t.Fatal(err)
	}
	// A notification that is late: the object is gone by now.
	notify(t, worker, token, "ObjectCreated:Put", below+"/guide.md")
	until(t, worker, `citekit_sources_total{status="vanished"}`, "1")
	if answer, err := http.Get("http://" + worker + "/readyz"); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("readiness of the worker: %v, %v", answer, err)
	}

	keys := filepath.Join(dir, "citekit", "keys.json")
	secret, err := exec.Command("citekit", "key", "new", "--workspace", "main", "--keys", keys).Output()
	if err != nil {
		t.Fatal(err)
	}
	args = slices.Clone(services["replica"].Command)
	i := slices.Index(args, "/etc/citekit/citekit.yaml")
	if i < 0 {
		t.Fatalf("the replicas of compose.yaml have no settings: %q", args)
	}
	args[i] = settingsFor(t, filepath.Join(deploy, "citekit.yaml"), named)
	t.Setenv("CITEKIT_KEYS", keys)
	t.Setenv("CITEKIT_HOST", "127.0.0.1")
	t.Setenv("CITEKIT_PORT", "0")
	t.Setenv("CITEKIT_METRICS_LISTEN", "127.0.0.1:0")
	replica := start(t, args...)
	server := replica.says(t, `serving metrics.*address":"([^"]*)"`)
	at := replica.says(t, "serving MCP at (.*)/mcp")
	call, err := http.NewRequest(http.MethodPost, at+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve","arguments":{"address":"text://guide#lines=1-3"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + strings.TrimSpace(string(secret)), "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18",
	} {
		call.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("a call: %d, %s", answer.StatusCode, body)
	}
	until(t, server, `citekit_call_duration_seconds_count{method="tools/call",tool="resolve"}`, "1")
	checkExpressions(t, scrape(t, server), scrape(t, worker))
}

// settingsFor returns a copy of a file of settings whose workspaces are the one of a URL.
func settingsFor(t *testing.T, file, named string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return settingsOf(t, string(data), named)
}

func settingsOf(t *testing.T, settings, named string) string {
	t.Helper()
	url := regexp.MustCompile(`(?m)^( *url: )pg://.*$`)
	if !url.MatchString(settings) {
		t.Fatal("the settings name no workspace")
	}
	file := filepath.Join(t.TempDir(), "citekit.yaml")
	if err := os.WriteFile(file, []byte(url.ReplaceAllString(settings, `${1}"`+strings.ReplaceAll(named, "$", "$$")+`"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// checkExpressions checks that the metrics, with the labels, of all expressions are
// exported.
func checkExpressions(t *testing.T, exported ...map[string]string) {
	t.Helper()
	labels := make(map[string][]string) // by the name of a metric
	for _, one := range exported {
		for series := range one {
			name, rest, _ := strings.Cut(series, "{")
			labels[name] = append(labels[name], "")
			for _, label := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(rest, -1) {
				labels[name] = append(labels[name], label[1])
			}
		}
	}
	for _, expr := range expressions(t) {
		parsed, err := metricsql.Parse(expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		var by []string
		var names []string
		metricsql.VisitAll(parsed, func(e metricsql.Expr) {
			switch e := e.(type) {
			case *metricsql.AggrFuncExpr:
				by = append(by, e.Modifier.Args...)
			case *metricsql.MetricExpr:
				for _, filters := range e.LabelFilterss {
					name := filters[0].Value
					names = append(names, name)
					for _, f := range filters[1:] {
						if !slices.Contains(labels[name], f.Label) {
							t.Errorf("%s: %s has no label %s", expr, name, f.Label)
						}
					}
				}
			}
		})
		if len(names) == 0 {
			t.Errorf("%s names no metric", expr)
		}
		for _, name := range names {
			if labels[name] == nil {
				t.Errorf("%s: nothing exports %s", expr, name)
			}
			for _, label := range by {
				if !slices.Contains(labels[name], label) {
					t.Errorf("%s: %s has no label %s", expr, name, label)
				}
			}
		}
	}
}

type probe struct {
	HTTPGet *struct{ Path, Port string } `yaml:"httpGet"`
}

type named struct{ Name string }

// An object is what the test knows of those of Kubernetes.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   named
	Data       map[string]string
	Spec       struct {
		Template struct {
			Metadata struct{ Annotations map[string]string }
			Spec     struct {
				Containers []struct {
					Args  []string
					Ports []struct {
						Name          string
						ContainerPort int `yaml:"containerPort"`
					}
					StartupProbe   probe   `yaml:"startupProbe"`
					LivenessProbe  probe   `yaml:"livenessProbe"`
					ReadinessProbe probe   `yaml:"readinessProbe"`
					VolumeMounts   []named `yaml:"volumeMounts"`
				}
				Volumes []named
			}
		}
	}
}

// The command takes the arguments and the settings of the manifests, and their parts fit
// together.
func TestManifests(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var commands [][]string
	for _, s := range readYAML[composed](t, "compose.yaml")[0].Services {
		if s.Image == "citekit-cloud" && s.Command != nil {
			commands = append(commands, s.Command)
		}
	}
	files, err := filepath.Glob(filepath.Join(deploy, "kubernetes", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	settings := []string{}
	if data, err := os.ReadFile(filepath.Join(deploy, "citekit.yaml")); err == nil {
		settings = append(settings, string(data))
	}
	for _, file := range files {
		for _, o := range readYAML[object](t, "kubernetes", filepath.Base(file)) {
			if o.APIVersion == "" || o.Kind == "" || o.Metadata.Name == "" && o.Kind != "Kustomization" {
				t.Errorf("%s has an object without a version, a kind or a name: %+v", file, o)
			}
			if data := o.Data["citekit.yaml"]; data != "" {
				settings = append(settings, data)
			}
			spec := o.Spec.Template.Spec
			for _, c := range spec.Containers {
				commands = append(commands, c.Args)
				ports := make(map[string]string)
				for _, port := range c.Ports {
					ports[port.Name] = fmt.Sprint(port.ContainerPort)
				}
				if o.Kind == "Deployment" && ports["metrics"] != o.Spec.Template.Metadata.Annotations["prometheus.io/port"] {
					t.Errorf("%s: the port of the metrics is %s", file, ports["metrics"])
				}
				for _, m := range c.VolumeMounts {
					if !slices.Contains(spec.Volumes, m) {
						t.Errorf("%s: no volume is named %s", file, m.Name)
					}
				}
				for _, one := range []probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
					if one.HTTPGet == nil || ports[one.HTTPGet.Port] == "" || one.HTTPGet.Path != "/healthz" && one.HTTPGet.Path != "/readyz" {
						t.Errorf("%s: a probe asks %+v", file, one.HTTPGet)
					}
				}
			}
		}
	}
	if len(commands) != 4 || len(settings) != 2 {
		t.Fatalf("%d commands and %d files of settings", len(commands), len(settings))
	}
	for _, args := range commands {
		// Flags are read up to --help: a wrong one before it is an error.
		if out, err := exec.Command("citekit", append(slices.Clone(args), "--help")...).CombinedOutput(); err != nil {
			t.Errorf("citekit %q: %v: %s", args, err, out)
		}
	}
	if out, err := exec.Command("citekit", "worker", "--listens", "x", "--help").CombinedOutput(); err == nil {
		t.Errorf("a flag that there is not was taken: %s", out)
	}
	for _, text := range settings {
		file := filepath.Join(t.TempDir(), "citekit.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("citekit", "config", "--config", file, "--check").CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, text)
		}
	}
}
