package markup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/about"
)

// matterFacts returns the facts in front matter about its document, except the
// title.
func matterFacts(text []byte, fence string) about.Facts {
	var f about.Facts
	for key, value := range matterValues(text, fence) {
		switch key {
		case "author", "authors", "creator":
			for _, name := range textsOf(value) {
				f.AddAuthors(strings.Split(name, ";")...)
			}
		case "tags", "tag", "keywords", "categories", "category", "labels":
			for _, words := range textsOf(value) {
				f.AddKeywordList(words)
			}
		case "date", "created", "published", "pubdate":
			if t, ok := value.(time.Time); ok {
				f.AddTime(t)
			} else if texts := textsOf(value); len(texts) > 0 {
				f.AddDate(texts[0])
			}
		}
	}
	return f
}

// matterValues yields the unindented keys of front matter, in lower case, and
// their values. Values that cannot be read are left out.
func matterValues(text []byte, fence string) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		toml := fence == "+++"
		separator, decode := ":", yamlValue
		if toml {
			separator, decode = "=", tomlValue
		}
		key, value := "", ""
		for _, line := range linesOf(text) {
			goesOn := isIndented(line) || len(line) > 0 && (line[0] == '-' || line[0] == ']') || toml && strings.Count(value, "[") > strings.Count(value, "]")
			if key != "" && goesOn && string(line) != fence {
				value += "\n" + string(line)
				continue
			}
			if key != "" && !yield(key, decode(value)) {
				return
			}
			name, rest, ok := strings.Cut(string(line), separator)
			if key = ""; ok {
				key, value = strings.ToLower(strings.Trim(strings.TrimSpace(name), `"'`)), rest
			}
		}
		if key != "" {
			yield(key, decode(value))
		}
	}
}

// maxMatterValue is how many bytes of one value are read.
const maxMatterValue = 8 << 10

func yamlValue(value string) any {
	if len(value) > maxMatterValue {
		return nil
	}
	var node yaml.Node
	var decoded struct{ Value any }
	err := yaml.Unmarshal([]byte("value:"+value+"\n"), &node)
	if err == nil && refers(&node) || err != nil && strings.Contains(err.Error(), "unknown anchor") {
		return nil
	}
	if err == nil {
		err = node.Decode(&decoded)
	}
	if err != nil {
		return strings.Trim(strings.TrimSpace(value), `'"`)
	}
	return decoded.Value
}

// refers reports whether part of a value is a reference, which could make it
// large.
func refers(node *yaml.Node) bool {
	return node.Kind == yaml.AliasNode || slices.ContainsFunc(node.Content, refers)
}

// tomlValue returns a string, a date or a list of strings.
func tomlValue(value string) any {
	value = strings.TrimSpace(value)
	if len(value) > maxMatterValue {
		return nil
	}
	if !strings.HasPrefix(value, "[") {
		return tomlString(value)
	}
	var list []any
	for value = value[1:]; ; {
		start := strings.IndexAny(value, `"'`)
		if start < 0 {
			return list
		}
		end := start + 1
		for end < len(value) && value[end] != value[start] {
			if value[end] == '\\' && value[start] == '"' {
				end++
			}
			end++
		}
		if end >= len(value) {
			return list
		}
		list = append(list, tomlString(value[start:end+1]))
		value = value[end+1:]
	}
}

// textsOf returns the strings in a value: the value itself, the elements of a
// list, or the names in a map.
func textsOf(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case int:
		return []string{strconv.Itoa(v)}
	case time.Time:
		return []string{v.Format(time.DateOnly)}
	case map[string]any:
		if name, ok := v["name"]; ok {
			return []string{fmt.Sprint(name)}
		}
	case []any:
		var texts []string
		for _, one := range v {
			if _, nested := one.([]any); !nested {
				texts = append(texts, textsOf(one)...)
			}
		}
		return texts
	}
	return nil
}

// addMeta records what an HTML meta element says about its document.
func addMeta(f *about.Facts, name, content string) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "author", "dc.creator", "dcterms.creator", "citation_author", "article:author":
		if !strings.Contains(content, "://") { // else it is the address of a profile
			f.AddAuthors(strings.Split(content, ";")...)
		}
	case "keywords", "news_keywords", "dc.subject", "dcterms.subject", "citation_keywords", "article:tag":
		f.AddKeywordList(content)
	case "date", "dc.date", "dcterms.date", "dcterms.created", "citation_publication_date", "article:published_time":
		f.AddDate(strings.ReplaceAll(content, "/", "-"))
	}
}
