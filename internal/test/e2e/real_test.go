package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// The tests of this file and of the others named real_… resolve parts of real
// files through "citekit serve", with the SDK for TypeScript as the client, and
// compare the evidence with what independent programs make of the source.

// A location is the JSON of a location in a map.
type location = map[string]any

// A request asks for one location in one file.
type request struct {
	path     string // absolute
	modality string
	location location
	resource string
	node     string
}

func (r request) String() string {
	selector, _ := json.Marshal(r.location)
	return filepath.Base(r.path) + " " + string(selector)
}

// An answer is what came of a request.
type answer struct {
	request
	failure string // text of the error; "" if there is evidence
	code    string // of the error

	OutputPath string           `json:"output_path"`
	Modality   string           `json:"modality"`
	Address    string           `json:"address"`
	ResourceID string           `json:"resource_id"`
	MediaType  string           `json:"media_type"`
	Charset    string           `json:"charset"`
	Size       int64            `json:"size"`
	SHA256     string           `json:"sha256"`
	SourceHash string           `json:"source_hash"`
	Actual     *json.RawMessage `json:"actual"`
	Cached     bool             `json:"cached"`
}

// data returns the bytes of the evidence.
func (a answer) data(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(a.OutputPath)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A citation is a set of requests that are resolved together.
type citation struct {
	t        *testing.T
	root     string // directory that all sources are in
	requests []request
	maps     int
}

func cite(t *testing.T, root string) *citation {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return &citation{t: t, root: root}
}

// add adds a map of one file, given relative to the root.
func (c *citation) add(modality, name string, locations ...location) {
	id := "r" + strconv.Itoa(c.maps)
	c.maps++
	for i, loc := range locations {
		if loc == nil {
			loc = location{}
		}
		loc["modality"] = modality
		c.requests = append(c.requests, request{
			path: filepath.Join(c.root, filepath.FromSlash(name)), modality: modality,
			location: loc, resource: id, node: "n" + strconv.Itoa(i),
		})
	}
}

// resolve resolves all requests and checks what must hold for every answer:
// see check. Some of them it resolves again in another directory. The answers
// are in the order of the requests.
func (c *citation) resolve() []answer {
	c.t.Helper()
	answers := c.run(c.requests, 2)
	first, second := answers[:len(c.requests)], answers[len(c.requests):]
	for i, a := range first {
		again := second[i]
		if a.failure != "" {
			if again.failure != a.failure {
				c.t.Errorf("%v fails with\n\t%s\n\tand then with %s", a, a.failure, again.failure)
			}
			continue
		}
		a.check(c.t)
		if !again.Cached || again.SHA256 != a.SHA256 || again.OutputPath != a.OutputPath {
			c.t.Errorf("%v once more: %+v, first %+v", a, again, a)
		}
	}
	c.reproduce(first)
	return first
}

// reproduce resolves a sample of the requests in another directory: the
// answers must be the same.
func (c *citation) reproduce(first []answer) {
	c.t.Helper()
	var sample []answer
	var requests []request
	for i := 0; i < len(first); i += usually(4, 1) { // not three, the requests for one file in a sweep
		sample, requests = append(sample, first[i]), append(requests, first[i].request)
	}
	for i, other := range c.run(requests, 1) {
		if a := sample[i]; other.failure != a.failure || other.Cached || other.SHA256 != a.SHA256 {
			c.t.Errorf("%v is not reproducible: %d bytes %s %s, in another directory %d bytes %s %s",
				a, a.Size, a.SHA256, a.failure, other.Size, other.SHA256, other.failure)
		}
	}
}

// usually returns the first number, or the second where tests are to be long.
func usually(few, many int) int {
	if sharedtest.Long() {
		return many
	}
	return few
}

// evidence resolves as resolve does and fails the test where an answer is an
// error.
func (c *citation) evidence() []answer {
	c.t.Helper()
	answers := c.resolve()
	good := answers[:0]
	for _, a := range answers {
		if a.failure != "" {
			c.t.Errorf("%v is refused: %s", a, a.failure)
			continue
		}
		good = append(good, a)
	}
	return good
}

// check checks what an answer says about itself.
func (a answer) check(t *testing.T) {
	t.Helper()
	data := a.data(t)
	sum := sha256.Sum256(data)
	if int64(len(data)) != a.Size || hex.EncodeToString(sum[:]) != a.SHA256 {
		t.Errorf("%v: %d bytes, SHA-256 %x; the answer says %d and %s", a, len(data), sum, a.Size, a.SHA256)
	}
	if a.Cached || a.MediaType == "" || a.Modality != a.modality || a.ResourceID != a.resource {
		t.Errorf("%v: the answer is %+v", a, a)
	}
	address, err := citekit.ParseAddress(a.Address)
	if err != nil || address.String() != a.Address {
		t.Errorf("%v: address %q is not canonical: %q, %v", a, a.Address, address.String(), err)
	}
	if address.Resource != a.resource || !address.Location.Equal(a.wanted(t)) {
		t.Errorf("%v: address %q", a, a.Address)
	}
	if a.SourceHash != "" && a.SourceHash != hashFile(t, a.path) {
		t.Errorf("%v: source hash %s is not that of the source", a, a.SourceHash)
	}
}

// wanted returns the location asked for.
func (r request) wanted(t testing.TB) citekit.Location {
	t.Helper()
	data, err := json.Marshal(r.location)
	if err != nil {
		t.Fatal(err)
	}
	var loc citekit.Location
	if err := json.Unmarshal(data, &loc); err != nil {
		t.Fatal(err)
	}
	return loc
}

func hashFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// run has the client resolve requests in a new directory, one after the other,
// and all of them again as often as rounds says. The maps are those of all
// requests of the citation.
func (c *citation) run(requests []request, rounds int) []answer {
	c.t.Helper()
	base := c.t.TempDir()
	byMap := make(map[string][]request)
	for _, r := range c.requests {
		byMap[r.resource] = append(byMap[r.resource], r)
	}
	for id, mapped := range byMap {
		var locations []map[string]any
		for _, r := range mapped {
			locations = append(locations, r.location)
		}
		writeMap(c.t, base, id, mapped[0].modality, mapped[0].path, locations...)
	}
	var calls []map[string]any
	for range rounds {
		for _, r := range requests {
			calls = append(calls, map[string]any{"tool": "resolve", "args": map[string]any{"resource_id": r.resource, "node_id": r.node}})
		}
	}
	var results []result
	if err := json.Unmarshal(callTools(c.t, calls, "serve", "--dir", base, "--root", c.root), &results); err != nil {
		c.t.Fatal(err)
	}
	answers := make([]answer, len(results))
	for i, r := range results {
		answers[i] = r.answer(c.t, requests[i%len(requests)])
		if path := answers[i].OutputPath; path != "" && filepath.Dir(path) != filepath.Join(base, ".citekit_output") {
			c.t.Errorf("%v: evidence in %s", answers[i], path)
		}
	}
	if len(answers) != rounds*len(requests) {
		c.t.Fatalf("%d answers to %d requests", len(answers), rounds*len(requests))
	}
	return answers
}

// A result is the result of a tool, as the SDK gives it.
type result struct {
	IsError    bool
	Content    []struct{ Type, Text string }
	Structured json.RawMessage       `json:"structuredContent"`
	Meta       struct{ Code string } `json:"_meta"`
}

func (r result) answer(t *testing.T, q request) answer {
	t.Helper()
	a := answer{request: q}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("%v: content %+v", q, r.Content)
	}
	text := r.Content[0].Text
	if r.IsError {
		a.failure, a.code = text, r.Meta.Code
		if a.code == "" || a.code == "INTERNAL" || !strings.HasPrefix(text, "Error: ") || strings.Contains(text, filepath.Dir(q.path)) {
			t.Errorf("%v: an unclear error, code %q: %s", q, a.code, text)
		}
		return a
	}
	if err := json.Unmarshal(r.Structured, &a); err != nil {
		t.Fatalf("%v: %v in %s", q, err, r.Structured)
	}
	var asText, asStructure any
	if err := json.Unmarshal([]byte(text), &asText); err != nil {
		t.Fatalf("%v: %v in %s", q, err, text)
	}
	if err := json.Unmarshal(r.Structured, &asStructure); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asText, asStructure); diff != "" {
		t.Errorf("%v: text and structure differ: %s", q, diff)
	}
	return a
}

// callTools has the SDK for TypeScript call tools of the command run with
// arguments. It returns what the client printed.
func callTools(t *testing.T, calls any, args ...string) []byte {
	t.Helper()
	modules := sharedtest.NodeModules(t)
	node := sharedtest.Tool(t, "node")
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	client := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(clientDir, "resolve.mjs"), bin}, args...)...)
	client.Env = append(os.Environ(), "CITEKIT_NODE_MODULES="+modules)
	client.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	client.Stderr = &stderr
	out, err := client.Output()
	if err != nil {
		t.Fatalf("resolve.mjs: %v\n%s", err, stderr.Bytes())
	}
	if stderr.Len() > 0 {
		t.Logf("the server's log: %.2000s", stderr.Bytes())
	}
	return out
}

var clientDir = filepath.Join("..", "..", "..", "mcpadapter", "testdata", "client")

// output runs an independent program and returns its standard output.
func output(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	out, err := tryOutput(t, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func tryOutput(t testing.TB, program string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), sharedtest.Tool(t, program), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %.300q: %w\n%.1000s", program, args, err, stderr.Bytes())
	}
	return out, nil
}
