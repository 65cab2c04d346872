package markup

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/about"
)

// matter is the front matter of a Markdown file.
type matter struct {
	lines int // number of lines, including the fences
	title string
	facts about.Facts
}

// maxMatter bounds front matter, in bytes.
const maxMatter = 64 << 10

// frontMatter returns the front matter of src: YAML between lines of "---", or
// TOML between lines of "+++". If the lines look like neither, they are text.
func frontMatter(src []byte) matter {
	var m matter
	var fence string
	size, settled := 0, false
	for number, line := range linesOf(src) {
		line = bytes.TrimRight(line, " \t")
		size += len(line) + 1
		switch {
		case number == 1:
			fence = string(line)
			if fence != "---" && fence != "+++" {
				return matter{}
			}
		case string(line) == fence, fence == "---" && string(line) == "...":
			m.lines = number
			m.title = matterTitle(src[:min(size, len(src))], fence)
			m.facts = matterFacts(src[:min(size, len(src))], fence)
			return m
		case size > maxMatter:
			return matter{}
		case !settled && len(line) > 0 && line[0] != '#':
			if settled = isSetting(line, fence); !settled {
				return matter{}
			}
		}
	}
	return matter{}
}

// isSetting reports whether line may be the first of front matter: a key with a
// value, or a table name.
func isSetting(line []byte, fence string) bool {
	separator := ":"
	if fence == "+++" {
		separator = "="
	}
	key, _, found := strings.Cut(string(line), separator)
	key = strings.TrimSpace(key)
	return fence == "+++" && line[0] == '[' || found && key != "" && !strings.ContainsAny(strings.Trim(key, `"'`), "\"'*`[](){}<>!")
}

// matterTitle returns the value of the key "title".
func matterTitle(text []byte, fence string) string {
	separator := ":"
	if fence == "+++" {
		separator = "="
	}
	var value string
	found := false
	for _, line := range linesOf(text) {
		if found && (!isIndented(line) || fence == "+++") {
			break
		}
		if found {
			value += "\n" + string(line)
			continue
		}
		key, rest, ok := strings.Cut(string(line), separator)
		if ok && strings.EqualFold(strings.Trim(strings.TrimRight(key, " \t"), `"'`), "title") {
			value, found = rest, true
		}
	}
	if fence == "+++" {
		return tomlString(strings.TrimSpace(value))
	}
	return yamlString(value)
}

func tomlString(value string) string {
	if s, err := strconv.Unquote(value); err == nil {
		return s
	}
	return strings.Trim(value, `'"`)
}

// yamlString returns the scalar that value stands for. value follows a key.
func yamlString(value string) string {
	var decoded struct{ Title string }
	if err := yaml.Unmarshal([]byte("title:"+value+"\n"), &decoded); err != nil {
		return strings.Trim(strings.TrimSpace(value), `'"`)
	}
	return decoded.Title
}
