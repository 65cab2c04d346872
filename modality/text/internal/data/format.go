package data

import (
	"bytes"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	sampleLines = 50
	sampleBytes = 16 << 10
)

// FormatOf returns the format of a file with the base name that begins with head, and
// whether that is a data format or a log. Unambiguous content decides, then the
// extension, then the form of the lines. For any other text it returns [Prose] or
// [Lines], and false.
func FormatOf(name string, head []byte) (Format, bool) {
	if format, ok := formatByContent(name, head); ok {
		return format, true
	}
	if format, ok := formatByName(name); ok {
		return format, true
	}
	if stampOf(headLines(head, sampleLines)) != nil {
		return Log, true
	}
	if isProse(name, head) {
		return Prose, false
	}
	return Lines, false
}

func formatByContent(name string, head []byte) (Format, bool) {
	start := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case bytes.HasPrefix(start, []byte("<?xml")):
		return XML, true
	case looksLikeJSON(start):
		ext := strings.ToLower(filepath.Ext(name))
		switch {
		case ext == ".ipynb" || isNotebook(start):
			return Notebook, true
		case ext == ".jsonl" || ext == ".ndjson" || isRecords(start):
			return Records, true
		}
		return JSON, true
	}
	return "", false
}

// looksLikeJSON reports whether text begins like a JSON object or array, and hardly
// like anything else.
func looksLikeJSON(text []byte) bool {
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	next := bytes.TrimLeft(text[1:], " \t\r\n")
	if len(next) == 0 {
		return false
	}
	if text[0] == '{' {
		return next[0] == '"' || next[0] == '}'
	}
	if next[0] == '[' && len(next) > 1 { // TOML has a table name there
		return strings.IndexByte("{[\"-0123456789", next[1]) >= 0
	}
	return next[0] == '{'
}

// isNotebook reports whether the first keys are those of a Jupyter notebook.
func isNotebook(text []byte) bool {
	text = text[:min(len(text), sampleBytes)]
	has := func(key string) bool { return bytes.Contains(text, []byte(key)) }
	return has(`"cells"`) && has(`"cell_type"`) && (has(`"metadata"`) || has(`"source"`))
}

// isRecords reports whether each of the first two lines is an object or array.
func isRecords(text []byte) bool {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	first, second = bytes.TrimSpace(first), bytes.TrimSpace(second)
	if len(first) < 2 || len(second) < 2 || first[0] != second[0] {
		return false
	}
	return first[len(first)-1] == first[0]+2 && text[0] == first[0] // the codes of } and ] are those of { and [ plus 2
}

func formatByName(name string) (Format, bool) {
	switch strings.ToLower(name) {
	case "cargo.lock", "poetry.lock", "uv.lock", "pipfile", "gopkg.lock":
		return TOML, true
	case ".editorconfig", ".gitconfig", ".npmrc", ".gitmodules":
		return INI, true
	case ".babelrc", ".eslintrc", ".jshintrc":
		return JSON, true
	case ".clang-format", ".clang-tidy":
		return YAML, true
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json", ".jsonc", ".json5", ".geojson", ".jsonld", ".webmanifest", ".har", ".topojson", ".avsc", ".code-workspace":
		return JSON, true
	case ".jsonl", ".ndjson":
		return Records, true
	case ".yaml", ".yml":
		return YAML, true
	case ".toml":
		return TOML, true
	case ".ini", ".cfg", ".desktop", ".service", ".socket", ".timer":
		return INI, true
	case ".xml", ".xsd", ".xsl", ".xslt", ".svg", ".rss", ".atom", ".gpx", ".kml", ".plist", ".wsdl", ".xliff", ".xlf",
		".csproj", ".vcxproj", ".fsproj", ".vbproj", ".props", ".targets", ".nuspec", ".resx", ".xaml", ".pom", ".iml", ".storyboard", ".xib":
		return XML, true
	case ".csv", ".tsv", ".tab", ".psv":
		return CSV, true
	case ".ipynb":
		return Notebook, true
	}
	return "", false
}

// headLines returns the first lines of text that are not blank. The last one may be
// truncated.
func headLines(text []byte, most int) [][]byte {
	var all [][]byte
	for line := range bytes.Lines(text[:min(len(text), sampleBytes)]) {
		if line = bytes.TrimSpace(line); len(line) > 0 && len(all) < most {
			all = append(all, line[:min(len(line), maxEntryHead)])
		}
	}
	return all
}

// isProse reports whether text is written for people: it consists almost entirely of
// words. Files with a name for prose need only half as many.
func isProse(name string, text []byte) bool {
	if bytes.HasPrefix(text, []byte("#!")) || isRecipe(name) {
		return false
	}
	share := 12
	switch strings.ToLower(filepath.Ext(name)) {
	case "", ".txt", ".text", ".asc", ".me", ".1st", ".eml":
		share = 6
	case ".ps1", ".psm1", ".bat", ".cmd", ".css", ".scss", ".less", ".vue", ".svelte", ".proto", ".tf", ".lua", ".r", ".pl", ".pm", ".tcl",
		".vim", ".awk", ".s", ".asm", ".cmake", ".mk", ".gradle", ".groovy", ".scala", ".dart", ".ex", ".exs", ".erl", ".hs", ".ml", ".clj",
		".jl", ".m", ".f90", ".graphql", ".conf", ".cnf", ".properties", ".env", ".tmpl", ".y", ".g4", ".po", ".diff", ".patch", ".nix", ".zig":
		return false
	}
	words, others := 0, 0
	for i := 0; i < min(len(text), sampleBytes); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case unicode.In(r, unicode.L, unicode.M) || r == ' ' || r == '\n':
			words++
		case !strings.ContainsRune(".,'-’\t", r):
			others++
		}
	}
	return words >= share*others
}

// isRecipe reports whether a file with a name for prose is written for a program.
func isRecipe(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	switch name {
	case "makefile", "gnumakefile", "bsdmakefile", "dockerfile", "containerfile", "jenkinsfile", "cmakelists", "kconfig", "procfile", "justfile", "caddyfile", "tiltfile":
		return true
	}
	return false
}
