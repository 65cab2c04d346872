package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/stdio"
)

var update = flag.Bool("update", false, "write anew what the test that runs makes of docs")

// A row is one thing that a document of another server, or of an earlier citekit, says
// of it. Its check calls a server and returns why the answer is not what the document
// says, or nil.
type row struct {
	name  string
	check func(*served) error

	other bool // it is about another domain, and the check is that it is not here
}

// A described server is the rows of a document.
type described struct {
	subject string
	dialect string // the one that is served for it; "" if it has none
	about   string
	rows    []row
}

// compatibility are the documents, in the order of the page.
func compatibility() []described {
	return []described{citekitRows(), lightfastRows(), sageRows(), atprotoRows()}
}

const compatibilityPage = "../../../docs/compatibility.md"

// TestCompatibility calls what each row says, and compares the page of all rows with what
// came of it; -update writes the page.
func TestCompatibility(t *testing.T) {
	base := compatibilityBase(t)
	native := serveDialect(t, base, "")
	var page bytes.Buffer
	page.WriteString(`# Compatibility

What clients written for earlier versions of citekit, and for three other servers, find when they
call this one, as they are written or with a dialect. Each row was called: a test makes this page,
and nothing in it is written by hand. "Other domain" is what has nothing to do with evidence in
files; calling it is an error.

` + "```sh\ncitekit serve --dir FOLDER --dialect lightfast\ngo test ./internal/test/e2e -run TestCompatibility -update   # makes this page\n```\n")
	total := map[string]int{}
	for _, d := range compatibility() {
		var own *served
		if d.dialect != "" {
			own = serveDialect(t, base, d.dialect)
		}
		var table bytes.Buffer
		for _, r := range d.rows {
			verdict, why := verdictOf(r, native, own)
			if verdict == "no" {
				t.Logf("%s: %s: %v", d.subject, r.name, why)
			}
			total[verdict]++
			fmt.Fprintf(&table, "| %s | %s |\n", r.name, verdict)
		}
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n| row | works |\n|---|---|\n%s", d.subject, d.about, table.String())
	}
	t.Logf("rows: %v", total)
	if *update {
		writeFile(t, compatibilityPage, page.Bytes())
	}
	got, err := os.ReadFile(compatibilityPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page.String(), string(got)); diff != "" {
		t.Errorf("the page is not what the rows give; run go test ./internal/test/e2e -run TestCompatibility -update (-want +got):\n%s", diff)
	}
}

// verdictOf calls what a row says: without a dialect, and then with that of its document.
func verdictOf(r row, native, own *served) (verdict string, why error) {
	why = r.check(native)
	switch {
	case why == nil && r.other:
		return "other domain", nil
	case why == nil:
		return "yes", nil
	case own == nil:
		return "no", why
	}
	if dialectErr := r.check(own); dialectErr != nil {
		return "no", fmt.Errorf("%w; with the dialect: %w", why, dialectErr)
	}
	return "with the dialect", nil
}

// compatibilityBase returns a folder with the files that the rows are about, which are
// mapped and searchable.
func compatibilityBase(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	files := map[string][]byte{
		"lecture_01.mp4":           mp4test.Video(290, 1, 32, 32),
		"textbook.pdf":             pdftest.Manual(16),
		"research_paper.md":        []byte("# Tides\n\nThe moon pulls the sea, and the sea follows the moon.\n\n## Range\n\nAt new moon and full moon the range is widest: spring tide.\nAt half moon the range is small: neap tide.\nSee [the principles](core/principles.md).\n"),
		"core/principles.md":       []byte("# Core Principles\n\nName a thing after what it does.\n\n## Clarity\n\nWrite what is, plainly.\n"),
		"core/defaults.md":         []byte("# Defaults\n\nA timeout is five seconds.\n"),
		"guidelines/python.md":     []byte("# Python\n\nUse type hints in Python, and test each function.\n"),
		"guidelines/go.md":         []byte("# Go\n\nReturn errors in Go, and wrap them once.\n"),
		"frameworks/autonomy.md":   []byte("# Autonomy\n\nAn agent asks before it deletes.\n"),
		"frameworks/timeout.md":    []byte("# Timeout\n\nFive levels, from memory to the whole base.\n"),
		"practices/engineering.md": []byte("# Engineering\n\nReview each change, and debug from a failing test.\n"),
	}
	for name, data := range files {
		writeFile(t, filepath.Join(base, filepath.FromSlash(name)), data)
	}
	out, err := exec.CommandContext(t.Context(), scratchBinary(t), "--dir", base, "ingest", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("ingest: %v\n%s", err, out)
	}
	for id, text := range map[string]string{"lecture_01": lectureMap, "textbook": textbookMap, "old": oldMap, "placeholder": placeholderMap} {
		writeFile(t, filepath.Join(base, ".resource_maps", id+".json"), []byte(text))
	}
	// As an owner of old maps does once: pages that mean a range are written as one.
	if out, err := exec.CommandContext(t.Context(), scratchBinary(t), "--dir", base, "check-map", "--fix", "textbook", "old").CombinedOutput(); !strings.Contains(string(out), "[12, 15] written as the pages from 12 to 15") {
		t.Fatalf("check-map: %v\n%s", err, out)
	}
	return base
}

// A served is a server that rows call.
type served struct {
	*stdio.Server
	t       *testing.T
	base    string
	dialect string
}

func serveDialect(t *testing.T, base, dialect string) *served {
	t.Helper()
	s := &served{t: t, base: base, dialect: dialect}
	command := []string{scratchBinary(t), "serve", "--dir", base}
	if dialect == "lightfast" { // whose calls take at most 5 s, which a machine may need that has other work
		settings := filepath.Join(t.TempDir(), "citekit.yaml")
		writeFile(t, settings, []byte("timeouts: {search: 2m, get_contents: 2m, find_similar: 2m, answer: 2m}\n"))
		command = append(command, "--config", settings)
	}
	var err error
	if s.Server, err = stdio.Start(t.Context(), base, append(command, s.flags()...)...); err != nil {
		t.Fatalf("--dialect %s: %v", dialect, err)
	}
	t.Cleanup(func() { s.Stop() })
	return s
}

// flags returns flags for another server of the same dialect.
func (s *served) flags(more ...string) []string {
	if s.dialect == "" {
		return more
	}
	return append([]string{"--dialect", s.dialect}, more...)
}

// A value is decoded JSON, with what rows ask of it.
type value struct{ v any }

// at returns what is at a path such as "results.0.id"; nil if there is nothing.
func (v value) at(path string) value {
	here := v.v
	for name := range strings.SplitSeq(path, ".") {
		switch in := here.(type) {
		case map[string]any:
			here = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return value{}
			}
			here = in[i]
		default:
			return value{}
		}
	}
	return value{here}
}

func (v value) String() string {
	data, _ := json.Marshal(v.v)
	if len(data) > 300 {
		data = append(data[:300:300], "…"...)
	}
	return string(data)
}

func (v value) text() string {
	s, _ := v.v.(string)
	return s
}

func (v value) list() []any {
	l, _ := v.v.([]any)
	return l
}

// A claim is what must be true of a value.
type claim func(value) error

// is claims that the value at a path is equal to one that Go's JSON decodes to the same.
func is(path string, want any) claim {
	return func(v value) error {
		data, _ := json.Marshal(want)
		var decoded any
		_ = json.Unmarshal(data, &decoded)
		if got := v.at(path); !reflect.DeepEqual(got.v, decoded) {
			return fmt.Errorf("%s is %s, not %s", path, got, data)
		}
		return nil
	}
}

// isNull claims that the value at a path is null, and there.
func isNull(path string) claim {
	return func(v value) error {
		before, name, nested := strings.Cut(path, ".")
		if !nested {
			before, name = "", path
		} else {
			v = v.at(before)
		}
		if object, ok := v.v.(map[string]any); !ok || object[name] != nil || !has(object, name) {
			return fmt.Errorf("%s is %s, not null", path, v.at(name))
		}
		return nil
	}
}

func has(object map[string]any, name string) bool {
	_, ok := object[name]
	return ok
}

// The kinds of values that a claim can be about.
const (
	aString = "a string"
	aNumber = "a number"
	aCount  = "a whole number"
	aFlag   = "true or false"
	aList   = "a list with elements"
	anArray = "a list"
	anObj   = "an object"
)

// kind claims that the values at paths are of a kind.
func kind(want string, paths ...string) claim {
	return func(v value) error {
		for _, path := range paths {
			got := v.at(path)
			ok := false
			switch x := got.v.(type) {
			case string:
				ok = want == aString && x != ""
			case float64:
				ok = want == aNumber || want == aCount && x == math.Trunc(x)
			case bool:
				ok = want == aFlag
			case []any:
				ok = want == anArray || want == aList && len(x) > 0
			case map[string]any:
				ok = want == anObj
			}
			if !ok {
				return fmt.Errorf("%s is %s, not %s", path, got, want)
			}
		}
		return nil
	}
}

// says claims that the text at a path has some words.
func says(path string, words ...string) claim {
	return func(v value) error {
		for _, word := range words {
			if got := v.at(path); !strings.Contains(got.text(), word) {
				return fmt.Errorf("%s is %s, without %q", path, got, word)
			}
		}
		return nil
	}
}

// each claims something of every element of the list at a path, which has some.
func each(path string, claims ...claim) claim {
	return func(v value) error {
		list := v.at(path).list()
		if len(list) == 0 {
			return fmt.Errorf("%s is %s, not a list with elements", path, v.at(path))
		}
		for i, one := range list {
			if err := all(claims...)(value{one}); err != nil {
				return fmt.Errorf("%s.%d.%w", path, i, err)
			}
		}
		return nil
	}
}

// long claims how many elements the list at a path has.
func long(path string, least, most int) claim {
	return func(v value) error {
		if n := len(v.at(path).list()); n < least || n > most {
			return fmt.Errorf("%s has %d elements, not %d to %d", path, n, least, most)
		}
		return nil
	}
}

func all(claims ...claim) claim {
	return func(v value) error {
		for _, c := range claims {
			if err := c(v); err != nil {
				return err
			}
		}
		return nil
	}
}

type args = map[string]any

// An outcome is what came of a request.
type outcome struct {
	result, fault value // of the protocol
}

func (s *served) ask(method string, params any) outcome {
	s.t.Helper()
	raw, err := s.Call(method, params)
	var o outcome
	if err != nil {
		text := strings.TrimPrefix(err.Error(), method+": ")
		if json.Unmarshal([]byte(text), &o.fault.v) != nil {
			s.t.Fatal(err) // the server ended
		}
		return o
	}
	if err := json.Unmarshal(raw, &o.result.v); err != nil {
		s.t.Fatal(err)
	}
	return o
}

// tool calls a tool. The value is the JSON in the text of its result; the error is that of
// the protocol, or the text of a failure.
func (s *served) tool(name string, arguments args) (value, error) {
	o := s.ask("tools/call", args{"name": name, "arguments": arguments})
	if o.fault.v != nil {
		return value{}, fmt.Errorf("%s: %s", name, o.fault.at("message").text())
	}
	text := o.result.at("content.0.text").text()
	if o.result.at("isError").v == true {
		return value{}, fmt.Errorf("%s: %s", name, text)
	}
	var v value
	if err := json.Unmarshal([]byte(text), &v.v); err != nil {
		return value{}, fmt.Errorf("%s: %s is not JSON", name, text)
	}
	return v, nil
}

// calls makes a row's check of a call of a tool, and of what its answer must be.
func calls(name string, arguments args, claims ...claim) func(*served) error {
	return func(s *served) error {
		v, err := s.tool(name, arguments)
		if err != nil {
			return err
		}
		return all(claims...)(v)
	}
}

// fails makes a check of a call that must fail with some words in its text.
func fails(name string, arguments args, words ...string) func(*served) error {
	return func(s *served) error {
		v, err := s.tool(name, arguments)
		if err == nil {
			return fmt.Errorf("%s did not fail: %s", name, v)
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				return fmt.Errorf("the error is %q, without %q", err, word)
			}
		}
		return nil
	}
}

// asks makes a check of a request of the protocol.
func asks(method string, params any, claims ...claim) func(*served) error {
	return func(s *served) error {
		o := s.ask(method, params)
		if o.fault.v != nil {
			return fmt.Errorf("%s: %s", method, o.fault)
		}
		return all(claims...)(o.result)
	}
}

// faults makes a check of a request that must fail.
func faults(method string, params any, claims ...claim) func(*served) error {
	return func(s *served) error {
		o := s.ask(method, params)
		if o.fault.v == nil {
			return fmt.Errorf("%s did not fail: %s", method, o.result)
		}
		return all(claims...)(o.fault)
	}
}

// schema makes a check of the schema of a tool's arguments.
func schema(tool string, claims ...claim) func(*served) error {
	return func(s *served) error {
		for _, one := range s.ask("tools/list", nil).result.at("tools").list() {
			if t := (value{one}); t.at("name").text() == tool {
				return all(claims...)(t.at("inputSchema"))
			}
		}
		return errors.New("no tool " + tool)
	}
}

// both makes one check of several.
func both(checks ...func(*served) error) func(*served) error {
	return func(s *served) error {
		for _, check := range checks {
			if err := check(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// runs makes a check of the program: its arguments, its exit code and words of what it
// writes.
func runs(arguments []string, code int, words ...string) func(*served) error {
	return func(s *served) error {
		ctx, cancel := context.WithTimeout(s.t.Context(), hanging)
		defer cancel()
		run := exec.CommandContext(ctx, scratchBinary(s.t), arguments...)
		run.Dir = s.base
		out, err := run.CombinedOutput()
		if run.ProcessState == nil {
			return err
		}
		if got := run.ProcessState.ExitCode(); got != code {
			return fmt.Errorf("exit code %d, not %d: %s", got, code, out)
		}
		for _, word := range words {
			if !strings.Contains(string(out), word) {
				return fmt.Errorf("%q is not in the output: %s", word, out)
			}
		}
		return nil
	}
}

// decoded returns the value of a JSON text; nil if it is none.
func decoded(text string) value {
	var v value
	_ = json.Unmarshal([]byte(text), &v.v)
	return v
}

// sorted returns strings of a list in order.
func sorted(list []any) (names []string) {
	for _, one := range list {
		names = append(names, fmt.Sprint(one))
	}
	slices.Sort(names)
	return names
}

// limitedTools returns the names of the tools of a server with further flags.
func limitedTools(s *served, flags ...string) ([]string, error) {
	server, err := stdio.Start(s.t.Context(), s.base, append([]string{scratchBinary(s.t), "serve"}, flags...)...)
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	var names []any
	for _, one := range (&served{server, s.t, s.base, ""}).ask("tools/list", nil).result.at("tools").list() {
		names = append(names, value{one}.at("name").v)
	}
	return sorted(names), nil
}
