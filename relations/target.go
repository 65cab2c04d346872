package relations

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// A target is the place that a link leads to by its text alone, before it is
// compared with the mapped sources.
type target struct {
	resource string // id in an address
	address  citekit.Address

	files   []string // possible paths, best first
	module  []string // possible paths below a folder at or above that of the source, best first
	goPath  string   // path of a Go package
	same    bool     // it is in the source itself
	outside bool     // none of these

	fragment string
}

// targetOf returns the target of a link in the source at a path.
func targetOf(l Link, source string) target {
	switch l.Kind {
	case "import":
		return importTarget(l, source)
	case "citation":
		return target{same: l.Target != "", fragment: l.Target, outside: strings.Contains(l.Target, "://")}
	}
	if a, err := citekit.ParseAddress(l.Target); err == nil && a.Location.VirtualAddress == "" {
		return target{resource: a.Resource, address: a}
	}
	written, fragment, _ := strings.Cut(l.Target, "#")
	fragment = unescape(fragment)
	switch {
	case written == "":
		return target{same: true, fragment: fragment}
	case hasScheme(written), strings.HasPrefix(written, "//"), strings.HasPrefix(written, "<"):
		return target{outside: true}
	}
	written, _, _ = strings.Cut(written, "?")
	return fileTarget(l.Kind, unescape(written), fragment, source)
}

// hasScheme reports whether a target begins with the scheme of a URI.
func hasScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ':':
			return i > 1 // a single letter may be a drive
		case c|0x20 >= 'a' && c|0x20 <= 'z', i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// fileTarget returns the target of a path. A path is relative to the source,
// or, if it begins with a slash, to a folder above the source.
func fileTarget(kind, written, fragment, source string) target {
	t := target{fragment: fragment}
	ext := path.Ext(source)
	if rooted, ok := strings.CutPrefix(written, "/"); ok {
		t.module = withExtensions(path.Clean(rooted), ext)
		return t
	}
	beside := path.Join(path.Dir(source), strings.ReplaceAll(written, `\`, "/"))
	t.files = withExtensions(beside, ext)
	if kind == "include" && ext == ".rs" {
		stem := strings.TrimSuffix(source, ext)
		t.files = []string{beside + ext, path.Join(beside, "mod.rs"), path.Join(stem, written+ext), path.Join(stem, written, "mod.rs")}
	}
	if kind == "include" && strings.Contains(written, "/") && !strings.HasPrefix(written, ".") {
		t.module = []string{path.Clean(written)}
	}
	return t
}

// withExtensions returns a path. If it has no extension, it also returns the
// path with that of the source, because some languages leave the extension out.
func withExtensions(p, ext string) []string {
	if path.Ext(p) != "" || ext == "" {
		return []string{p}
	}
	return []string{p, p + ext}
}

var scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"}

// importTarget returns the target of an import, by the language of the source.
func importTarget(l Link, source string) target {
	dotted := strings.ReplaceAll(strings.TrimSuffix(l.Target, ".*"), ".", "/")
	switch ext := path.Ext(source); ext {
	case ".go", ".mod":
		return target{goPath: l.Target}
	case ".py", ".pyi", ".pyw":
		return pythonTarget(l, source)
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return scriptTarget(l.Target, source)
	case ".java", ".kt", ".kts":
		paths := []string{dotted + ".java", dotted + ".kt"}
		if outer := path.Dir(dotted); outer != "." { // a member of a class
			paths = append(paths, outer+".java", outer+".kt")
		}
		return target{module: paths}
	}
	return target{outside: true}
}

// pythonTarget returns the target of a Python import. An imported name may be a
// module below the named one.
func pythonTarget(l Link, source string) target {
	name := strings.TrimLeft(l.Target, ".")
	dots := len(l.Target) - len(name)
	p := strings.ReplaceAll(name, ".", "/")
	var paths []string
	if l.Text != "" && l.Text != "*" {
		below := path.Join(p, l.Text)
		paths = append(paths, below+".py", below+"/__init__.py")
	}
	if p != "" {
		paths = append(paths, p+".py", p+".pyi")
	}
	paths = append(paths, path.Join(p, "__init__.py"))
	if dots == 0 {
		return target{module: paths}
	}
	dir := path.Dir(source)
	for range dots - 1 {
		dir = path.Join(dir, "..")
	}
	for i := range paths {
		paths[i] = path.Join(dir, paths[i])
	}
	return target{files: paths}
}

// scriptTarget returns the target of a JavaScript import: only a relative one
// is a file.
func scriptTarget(written, source string) target {
	if !strings.HasPrefix(written, "./") && !strings.HasPrefix(written, "../") && written != "." && written != ".." {
		return target{outside: true}
	}
	p := path.Join(path.Dir(source), written)
	files := []string{p}
	for _, ext := range scriptExtensions {
		files = append(files, p+ext)
	}
	if stem, ok := strings.CutSuffix(p, ".js"); ok { // TypeScript writes it this way
		files = append(files, stem+".ts", stem+".tsx")
	}
	for _, ext := range scriptExtensions {
		files = append(files, p+"/index"+ext)
	}
	return target{files: files}
}

// keysOfLink returns the keys of a link. If it leads to a mapped source, that
// source has one of the keys too. It returns none if the link cannot lead to
// one.
func keysOfLink(l Link, source string) []string {
	t := targetOf(l, source)
	switch {
	case l.Kind == anchor, t.outside, t.same:
		return nil
	case t.resource != "":
		return []string{"resource " + t.resource}
	case t.goPath != "":
		return []string{"go " + t.goPath}
	}
	var keys []string
	for _, file := range t.files {
		if key := "file " + stem(file); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(t.module) > 0 {
		keys = append(keys, "module "+moduleStem(l, t))
	}
	return keys
}

// moduleStem returns the common part of the paths of a module. For an import
// that is the first folder, because a name may be in the module or be one.
func moduleStem(l Link, t target) string {
	if l.Kind == "import" {
		return firstElement(t.module[len(t.module)-1])
	}
	return stem(t.module[len(t.module)-1])
}

func firstElement(p string) string {
	first, _, _ := strings.Cut(stem(p), "/")
	return first
}

// stem returns a path without its optional parts: its extension, and the name
// of a file that stands for its folder.
func stem(p string) string {
	dir, base := path.Split(p)
	for path.Ext(base) != "" && path.Ext(base) != base {
		base = strings.TrimSuffix(base, path.Ext(base))
	}
	if dir != "" && (base == "__init__" || base == "index" || base == "mod") {
		return path.Clean(dir)
	}
	return dir + base
}

// keysTo returns the keys of the links that may lead to a map.
func keysTo(to mapped, modules map[string]string) []string {
	keys := []string{"resource " + to.id}
	if to.path == "" {
		return keys
	}
	s := stem(to.path)
	keys = append(keys, "file "+s)
	for rest := s; ; {
		keys = append(keys, "module "+rest, "module "+firstElement(rest))
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
	}
	if path.Ext(to.path) == ".go" {
		for _, name := range goPaths(path.Dir(to.path), modules) {
			keys = append(keys, "go "+name)
		}
	}
	return keys
}

// goPaths returns the import paths of a folder: the path below the module whose
// go.mod is nearest above it, else the path of the folder itself.
func goPaths(dir string, modules map[string]string) []string {
	for above := dir; ; above = path.Dir(above) {
		if module, ok := modules[above]; ok {
			below := dir
			if above != "." {
				below = strings.TrimPrefix(strings.TrimPrefix(dir, above), "/")
			}
			return []string{path.Join(module, below)}
		}
		if above == "." || above == "/" {
			break
		}
	}
	return []string{dir, strings.TrimPrefix(dir, "src/")}
}
