package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

const ownModule = "github.com/citekit/citekit"

// codeIn matches a block of code of a page, or a span of code in its prose.
var codeIn = regexp.MustCompile("(?ms)^(`{3,})([a-z]*)\n(.*?)^`{3,}$|`([^`\n]+)`")

// docPages returns the pages that name commands, with their texts.
func docPages(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	for _, pattern := range []string{"*.md", "docs/*.md", "packaging/*.md", "examples/*.md", "examples/*/*.md", "skills/*/*.md"} {
		names, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if filepath.Base(name) == "CHANGELOG.md" { // it also names removed commands
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(filepath.ToSlash(name), "../../../")] = string(text)
		}
	}
	return pages
}

// commandLines returns the command lines of a page: those in blocks for a shell,
// with the prompt in blocks of a session, and spans of code.
func commandLines(text string) (lines []string) {
	for _, m := range codeIn.FindAllStringSubmatch(text, -1) {
		block := strings.ReplaceAll(m[3], "\\\n", " ")
		switch {
		case m[4] != "":
			lines = append(lines, m[4])
		case m[2] == "sh":
			lines = append(lines, strings.Split(block, "\n")...)
		case m[2] == "console":
			for line := range strings.Lines(block) {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					lines = append(lines, strings.TrimSpace(command))
				}
			}
		}
	}
	return lines
}

// words splits a command line as a shell would, up to what ends the command.
func words(line string) (list []string) {
	var word strings.Builder
	quote, begun := rune(0), false
	finish := func() {
		if begun {
			list = append(list, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			finish()
		case strings.ContainsRune("|<>;&()", r) || r == '#' && !begun:
			finish()
			return list
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	finish()
	return list
}

// TestCommandsOfPages checks that the commands, flags, packages and tests which
// the pages name are there.
func TestCommandsOfPages(t *testing.T) {
	bin, helps, checked := scratchBinary(t), make(map[string]string), 0
	help := func(command string) (string, error) {
		if helps[command] == "" {
			out, err := exec.Command(bin, "help", command).Output()
			if err != nil {
				return "", fmt.Errorf("there is no command %s", command)
			}
			helps[command] = string(out)
		}
		return helps[command], nil
	}
	for page, text := range docPages(t) {
		for _, line := range commandLines(text) {
			args := words(line)
			if len(args) < 2 {
				continue
			}
			var err error
			switch args[0] {
			case "citekit":
				if page == "docs/scale.md" && ofQueues.MatchString(line) {
					continue // this program has no queues; TestQueue of package command runs them
				}
				err = checkCitekit(args[1:], help)
			case "go":
				if strings.Contains(line, "/toy") {
					continue // the reader of the page makes that package
				}
				err = checkGo(args[1], args[2:])
			default:
				continue
			}
			checked++
			if err != nil {
				t.Errorf("%s: %s: %v", page, line, err)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d command lines were found", checked)
	}
}

var ofQueues = regexp.MustCompile(`^citekit (worker|jobs|ingest \S+ --queue)\b`)

var flagWord = regexp.MustCompile(`^--?[A-Za-z0-9][a-z-]*`)

// checkCitekit checks the command and the flags of a command line of citekit.
func checkCitekit(args []string, help func(string) (string, error)) error {
	command := ""
	for i := 0; i < len(args) && command == ""; i++ {
		switch {
		case args[i] == "--json":
		case strings.HasPrefix(args[i], "-"):
			i++ // its value
		default:
			command = args[i]
		}
	}
	if command == "help" {
		command = args[len(args)-1]
	}
	if command == "" {
		command = "help"
	}
	text, err := help(command)
	if err != nil {
		return err
	}
	for _, arg := range args {
		if arg == "--" {
			break
		}
		name := flagWord.FindString(arg)
		if name != "" && !regexp.MustCompile(`(?m)^\s+(?:-\w, )?`+name+`[\s,]`).MatchString(text) {
			return fmt.Errorf("%s has no flag %s", command, name)
		}
	}
	return nil
}

// checkGo checks the packages, the tests and the flags of a command line of go.
func checkGo(command string, args []string) error {
	if !slices.Contains([]string{"run", "test", "doc", "generate", "install", "build", "vet"}, command) {
		return nil // such as get and mod
	}
	var sources []byte
	for i, arg := range args {
		arg, _, _ = strings.Cut(strings.Replace(arg, ownModule, ".", 1), "@")
		switch {
		case strings.HasSuffix(arg, "/NAME"): // any of them
		case arg == "." || strings.HasPrefix(arg, "./"):
			found, err := sourcesIn(arg)
			if err != nil {
				return err
			}
			sources = append(sources, found...)
			if arg == "./cmd/citekit" { // which runs that package
				if found, err = sourcesIn("./internal/command"); err != nil {
					return err
				}
				sources = append(sources, found...)
			}
		case command == "test" && (arg == "-run" || arg == "-bench" || arg == "-fuzz") && i+1 < len(args):
			if err := checkTests(sources, args[i+1]); err != nil {
				return err
			}
		case command == "run" && strings.HasPrefix(arg, "-") && len(sources) > 0:
			name := strings.Trim(flagWord.FindString(arg), "-")
			if !bytes.Contains(sources, []byte(`"`+name+`"`)) {
				return fmt.Errorf("there is no flag -%s", name)
			}
		}
	}
	return nil
}

// sourcesIn returns the Go files of a package, or of all below it.
func sourcesIn(name string) ([]byte, error) {
	name, all := strings.CutSuffix(name, "/...")
	pattern := filepath.Join("..", "..", "..", filepath.FromSlash(name))
	files, _ := filepath.Glob(filepath.Join(pattern, "*.go"))
	if _, err := os.Stat(pattern); err != nil || len(files) == 0 && !all {
		return nil, fmt.Errorf("there is no package %s", name)
	}
	var sources []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sources = append(sources, text...)
	}
	return sources, nil
}

var testName = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)

// checkTests checks that each alternative of a pattern names a test.
func checkTests(sources []byte, pattern string) error {
	var names []string
	for _, m := range testName.FindAllSubmatch(sources, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) == 0 || pattern == "^$" || pattern == "." {
		return nil // of all packages
	}
	for alternative := range strings.SplitSeq(pattern, "|") {
		matches, err := regexp.Compile(alternative)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(names, matches.MatchString) {
			return fmt.Errorf("no test is named %s", alternative)
		}
	}
	return nil
}

// samplesDir is where the sessions of the pages seem to run.
const samplesDir = "/home/you/tides"

// TestSessionsOfPages runs the sessions of each page in a folder with the samples
// of the quickstart, and compares what is printed. "…" stands for anything.
func TestSessionsOfPages(t *testing.T) {
	bash, bin, sessions := sharedtest.Tool(t, "bash"), scratchBinary(t), 0
	for page, text := range docPages(t) {
		dir := filepath.Join(t.TempDir(), "tides")
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "quickstart", "samples"))); err != nil {
			t.Fatal(err)
		}
		settings := t.TempDir()
		ingest := exec.CommandContext(t.Context(), bin, "ingest", "--dir", dir, ".") // as the quickstart does
		ingest.Env = append(os.Environ(), "XDG_CONFIG_HOME="+settings)
		if out, err := ingest.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, m := range codeIn.FindAllStringSubmatch(text, -1) {
			if m[2] != "console" {
				continue
			}
			sessions++
			for _, s := range stepsOf(m[3]) {
				cmd := exec.CommandContext(t.Context(), bash, "-c", s.command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CONFIG_HOME="+settings)
				out, _ := cmd.CombinedOutput() // what fails says so
				got := strings.TrimSpace(strings.ReplaceAll(string(out), dir, samplesDir))
				want := strings.TrimSpace(s.output)
				pattern := "(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$"
				if !regexp.MustCompile(pattern).MatchString(got) {
					t.Errorf("%s: %s (-page +printed):\n%s", page, s.command, cmp.Diff(want, got))
				}
			}
		}
	}
	if sessions < 8 {
		t.Errorf("only %d sessions were found", sessions)
	}
}

// A step is a command, with its here-document, and what is printed.
type step struct{ command, output string }

func stepsOf(block string) (steps []step) {
	end := ""
	for line := range strings.Lines(block) {
		command, typed := strings.CutPrefix(line, "$ ")
		switch {
		case end != "":
			steps[len(steps)-1].command += line
			if strings.TrimSpace(line) == end {
				end = ""
			}
		case typed:
			steps = append(steps, step{command: command})
			if _, rest, ok := strings.Cut(command, "<<'"); ok {
				end, _, _ = strings.Cut(rest, "'")
			}
		case len(steps) > 0:
			steps[len(steps)-1].output += line
		}
	}
	return steps
}

// TestPicturesOfReadme draws the pictures again. The clip needs ffmpeg, whose
// versions draw differently, so it is only looked for.
func TestPicturesOfReadme(t *testing.T) {
	bin, dir := scratchBinary(t), t.TempDir()
	draw := exec.CommandContext(t.Context(), "go", "run", "./internal/tool/pictures", "-citekit", bin, "-dir", dir, "-clip=false")
	draw.Dir = "../../.."
	if out, err := draw.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pictures := filepath.Join("..", "..", "..", "docs", "pictures")
	for _, name := range []string{"terminal.svg", "page.png"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.ReadFile(filepath.Join(pictures, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the program draws (%v); run: go run ./internal/tool/pictures", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(pictures, "clip.png")); err != nil || info.Size() == 0 || info.Size() > 100_000 {
		t.Errorf("the clip: %v, %v", info, err)
	}
}
