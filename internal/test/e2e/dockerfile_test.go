package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An instruction is one line of a Dockerfile, with the lines that it goes on in.
type instruction struct {
	line      int
	name      string   // such as COPY
	flags     []string // such as --from=build
	arguments string   // the rest
}

// flag returns the value of a flag, "" if it is not given.
func (i instruction) flag(name string) string {
	for _, f := range i.flags {
		if value, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// list returns the arguments of the JSON form.
func (i instruction) list() (all []string, err error) {
	err = json.Unmarshal([]byte(i.arguments), &all)
	return all, err
}

// A stage begins with FROM.
type stage struct {
	name, base   string
	instructions []instruction
}

// all returns the instructions of a name.
func (s stage) all(name string) (found []instruction) {
	for _, i := range s.instructions {
		if i.name == name {
			found = append(found, i)
		}
	}
	return found
}

// parseDockerfile reads a Dockerfile. It understands no heredocs and no ARG before
// the first FROM.
func parseDockerfile(text string) (stages []stage, err error) {
	lines := strings.Split(text, "\n")
	for n := 0; n < len(lines); n++ {
		line, first := strings.TrimSpace(lines[n]), n+1
		if line == "" || line[0] == '#' {
			continue
		}
		for strings.HasSuffix(line, `\`) && n+1 < len(lines) {
			n++
			if next := strings.TrimSpace(lines[n]); !strings.HasPrefix(next, "#") {
				line = strings.TrimSuffix(line, `\`) + next
			}
		}
		name, rest, _ := strings.Cut(line, " ")
		i := instruction{line: first, name: name}
		for rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "--") && name != "HEALTHCHECK"; rest = strings.TrimSpace(rest) {
			var flag string
			flag, rest, _ = strings.Cut(rest, " ")
			i.flags = append(i.flags, flag)
		}
		i.arguments = rest
		if name == "FROM" {
			words := strings.Fields(rest)
			if len(words) != 3 || words[1] != "AS" {
				return nil, fmt.Errorf("line %d: %s: a stage needs a name", first, line)
			}
			stages = append(stages, stage{name: words[2], base: words[0]})
		} else if len(stages) == 0 {
			return nil, fmt.Errorf("line %d: %s before the first FROM", first, name)
		}
		last := &stages[len(stages)-1]
		last.instructions = append(last.instructions, i)
	}
	return stages, nil
}

// images are the stages that are run, and not only built with.
var images = []string{"citekit", "citekit-media"}

// lintDockerfile returns what is wrong with a Dockerfile of ours.
func lintDockerfile(stages []stage, goVersion string) (faults []string) {
	report := func(i instruction, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("line %d: %s: ", i.line, i.name)+fmt.Sprintf(format, args...))
	}
	pinned := regexp.MustCompile(`^[a-z0-9./-]+:[0-9]+\.[0-9]+[a-z0-9.-]*(@sha256:[0-9a-f]{64})?$`)
	known := []string{"scratch"}
	for _, s := range stages {
		from := s.instructions[0]
		if !slices.Contains(known, s.base) && !pinned.MatchString(s.base) {
			report(from, "%s is not held to a version", s.base)
		}
		if version, ok := strings.CutPrefix(s.base, "golang:"); ok {
			if version, _, _ = strings.Cut(version, "-"); olderGo(version, goVersion) {
				report(from, "go.mod needs Go %s, which is newer than %s", goVersion, version)
			}
		}
		for _, i := range s.instructions {
			switch {
			case i.name == "ADD":
				report(i, "it may fetch and unpack; COPY does not")
			case i.name == "COPY" && i.flag("from") != "" && !slices.Contains(known, i.flag("from")):
				report(i, "no stage %s before", i.flag("from"))
			case i.name == "RUN" && regexp.MustCompile(`\b(curl|wget|sudo)\b|:latest`).MatchString(i.arguments):
				report(i, "nothing is fetched but packages")
			case (i.name == "CMD" || i.name == "ENTRYPOINT" || i.name == "VOLUME") && !strings.HasPrefix(i.arguments, "["):
				report(i, "write the JSON form, which needs no shell")
			}
		}
		if slices.Contains(images, s.name) {
			faults = append(faults, lintImage(s)...)
		}
		known = append(known, s.name)
	}
	for _, name := range images {
		if !slices.Contains(known, name) {
			faults = append(faults, "no stage "+name)
		}
	}
	if last := stages[len(stages)-1]; last.name != images[0] {
		faults = append(faults, "the last stage, which is built by default, is "+last.name)
	}
	return faults
}

// lintImage returns what is wrong with a stage that is run.
func lintImage(s stage) (faults []string) {
	one := func(name, form string) {
		switch found := s.all(name); {
		case len(found) != 1:
			faults = append(faults, fmt.Sprintf("stage %s: %d of %s, not 1", s.name, len(found), name))
		case !regexp.MustCompile(form).MatchString(found[0].arguments):
			faults = append(faults, fmt.Sprintf("stage %s: %s %s is not %s", s.name, name, found[0].arguments, form))
		}
	}
	one("USER", `^[1-9][0-9]{3,}:[1-9][0-9]{3,}$`)
	one("EXPOSE", `^8808$`)
	one("HEALTHCHECK", `^--interval=\S+ --timeout=\S+ .*CMD \["/usr/local/bin/probe", "127\.0\.0\.1:8808/healthz"\]$`)
	one("STOPSIGNAL", `^SIGTERM$`)
	one("VOLUME", `^\["/var/lib/citekit", "/var/cache/citekit", "/srv/citekit"\]$`)
	one("ENTRYPOINT", `^\["/usr/local/bin/citekit"\]$`)
	one("CMD", `^\["serve", "--config", "/etc/citekit/citekit.yaml"\]$`)
	user := -1
	for n, i := range s.instructions {
		if i.name == "USER" {
			user = n
		} else if i.name == "RUN" && user >= 0 {
			faults = append(faults, fmt.Sprintf("line %d: RUN after USER", i.line))
		}
	}
	return faults
}

// olderGo reports whether a version of Go is before another.
func olderGo(version, than string) bool {
	var a, b [3]int
	fmt.Sscanf(version, "%d.%d.%d", &a[0], &a[1], &a[2])
	fmt.Sscanf(than, "%d.%d.%d", &b[0], &b[1], &b[2])
	return slices.Compare(a[:], b[:]) < 0
}

func readDockerfile(t *testing.T) []stage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "packaging", "docker", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	stages, err := parseDockerfile(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// goOfModule returns the version of Go that go.mod needs.
func goOfModule(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(string(output(t, "go", "list", "-m", "-f", "{{.GoVersion}}")))
}

func TestDockerfile(t *testing.T) {
	for _, fault := range lintDockerfile(readDockerfile(t), goOfModule(t)) {
		t.Error(fault)
	}
}

// The lint finds each fault that is put into the Dockerfile.
func TestDockerfileLint(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "packaging", "docker", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ from, to, want string }{
		{"debian:12.12-slim", "debian:latest", "not held to a version"},
		{"debian:12.12-slim", "debian", "not held to a version"},
		{"golang:1.26.8", "golang:1.25.9", "is newer than 1.25.9"},
		{"USER 65532:65532", "USER citekit", "USER citekit is not"},
		{"USER 65532:65532\n", "", "0 of USER"},
		{"USER 65532:65532", "USER 0:0", "USER 0:0 is not"},
		{"COPY . .", "ADD https://example.org/citekit.tar.gz .", "it may fetch"},
		{"RUN go mod download", "RUN curl -O https://example.org", "nothing is fetched"},
		{"HEALTHCHECK --interval=30s", "# HEALTHCHECK", "0 of HEALTHCHECK"},
		{"EXPOSE 8808\n", "", "0 of EXPOSE"},
		{`ENTRYPOINT ["/usr/local/bin/citekit"]`, "ENTRYPOINT citekit", "JSON form"},
		{"--from=build /src/root /\n", "--from=built /src/root /\n", "no stage built"},
		{"FROM scratch AS citekit\n", "FROM scratch AS other\n", "no stage citekit"},
	} {
		broken := strings.ReplaceAll(string(text), change.from, change.to)
		stages, err := parseDockerfile(broken)
		if err != nil {
			t.Errorf("%s for %s: %v", change.to, change.from, err)
			continue
		}
		if faults := strings.Join(lintDockerfile(stages, "1.26.5"), "\n"); broken == string(text) || !strings.Contains(faults, change.want) {
			t.Errorf("%q for %q: faults %q", change.to, change.from, faults)
		}
	}
}

// Nothing that git tracks may be left out of what an image is built of: the
// program would be marked as one with changes.
func TestDockerignore(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	tracked, err := exec.Command("git", "-C", "../../..", "ls-files").Output()
	if err != nil {
		t.Skipf("git ls-files: %v", err) // in a copy that is no repository
	}
	for line := range strings.Lines(string(text)) {
		pattern := strings.TrimSpace(line)
		if pattern == "" || pattern[0] == '#' {
			continue
		}
		for file := range strings.Lines(string(tracked)) {
			if ignores(pattern, strings.TrimSpace(file)) {
				t.Errorf(".dockerignore: %s leaves out %s", pattern, file)
			}
		}
	}
}

// ignores reports whether a pattern of .dockerignore leaves out a file: one that
// begins with / at the top, others, with **/, anywhere.
func ignores(pattern, file string) bool {
	anywhere, found := strings.CutPrefix(pattern, "**/")
	for parent := file; parent != "."; parent = path.Dir(parent) {
		name := parent
		if found {
			name, pattern = path.Base(parent), anywhere
		}
		if ok, _ := path.Match(strings.TrimPrefix(pattern, "/"), name); ok {
			return true
		}
	}
	return false
}
