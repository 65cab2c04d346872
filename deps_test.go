package citekit_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

const module = "github.com/citekit/citekit"

// mayImport says which of our packages a package may import, outside its
// tests. Patterns are as in path.Match; a package may always import those
// below itself.
var mayImport = map[string][]string{
	".":                                     {"internal/ledger", "internal/strictjson", "internal/sniff"},
	"ingest":                                {".", "internal/ledger", "internal/lookup", "internal/sniff", "textlayer"},
	"render":                                {".", "render/internal/libreoffice"},
	"render/internal/libreoffice":           {".", "internal/child"},
	"preview":                               {"."},
	"relations":                             {"."},
	"digest":                                {".", "internal/strictjson"},
	"citation":                              {".", "internal/about", "internal/citedtext", "textlayer"},
	"citation/*":                            {".", "citation", "textlayer"},
	"textlayer":                             {"."},
	"search":                                {".", "ingest", "internal/about", "relations", "textlayer", "preview", "internal/lineform", "internal/lookup", "internal/strictjson", "internal/terms"},
	"contents":                              {".", "relations", "textlayer", "internal/lookup", "internal/strictjson"},
	"verify":                                {".", "preview", "search", "search/index", "textlayer", "internal/citedtext", "internal/lineform", "internal/lookup", "internal/quotation", "internal/strictjson"},
	"reanchor":                              {".", "citation", "textlayer", "verify", "reanchor/internal/anchor", "internal/citedtext", "internal/lookup", "internal/mention", "internal/quotation", "internal/strictjson"},
	"stats":                                 {".", "ingest", "search", "search/index", "textlayer"},
	"briefing":                              {".", "textlayer", "search", "search/index", "internal/sentence", "internal/strictjson", "internal/terms"},
	"answer":                                {".", "textlayer", "search", "search/index", "verify", "mapper/llm", "internal/lineform", "internal/sentence", "internal/strictjson", "internal/terms"},
	"search/index":                          {".", "internal/pathpattern", "internal/terms", "search/index/internal/segment"},
	"search/embedding":                      {".", "search", "mapper/llm"},
	"search/embedding/*":                    {"search"},
	"workspace":                             {".", "internal/pathpattern", "internal/sqlite"},
	"workspace/workspacetest":               {"."},
	"modality":                              {".", "modality/*", "modality/document/*"},
	"modality/modalitytest":                 {".", "preview", "relations"},
	"modality/document":                     {".", "preview", "relations", "internal/sniff", "modality/document/*"},
	"modality/document/pdf":                 {".", "internal/about", "preview", "relations", "modality/document/pdf/internal/pdf*", "internal/sentence", "modality/internal/drawing", "internal/sniff", "modality/internal/tesseract"},
	"modality/video":                        {".", "preview", "modality/internal/media/ffmpeg", "modality/internal/media/mp4", "modality/internal/media", "modality/internal/subtitle", "modality/media"},
	"modality/audio":                        {".", "preview", "modality/internal/media/ffmpeg", "modality/internal/media/mp4", "modality/internal/media/wav", "modality/internal/media", "modality/internal/subtitle", "modality/media"},
	"modality/image":                        {".", "internal/about", "preview", "modality/image/internal/exif", "modality/image/internal/jpeg*", "modality/internal/drawing", "internal/sentence", "internal/sniff", "modality/internal/tesseract", "modality/internal/xmp"},
	"modality/text":                         {".", "internal/about", "relations", "internal/charset", "modality/text/internal/code", "modality/text/internal/linkset", "modality/text/internal/markup", "modality/text/internal/data", "modality/internal/subtitle", "internal/sentence", "internal/sniff", "internal/lineform", "modality/internal/htmlblocks", "modality/document/mail"},
	"modality/virtual":                      {"."},
	"modality/media":                        {"."},
	"modality/internal/media":               {".", "internal/about", "preview", "internal/charset", "modality/internal/media/ffmpeg", "modality/internal/media/id3", "modality/internal/media/matroska", "modality/internal/media/vorbis", "modality/internal/media/mp3", "modality/internal/media/mp4", "modality/internal/drawing", "internal/sentence", "internal/sniff", "modality/internal/subtitle", "modality/internal/media/wav", "modality/media"},
	"modality/internal/drawing":             {".", "preview"},
	"modality/document/pdf/internal/pdf":    {"internal/about", "modality/internal/xmp"},
	"modality/document/pdf/internal/pdfcut": {"modality/document/pdf/internal/pdf"},
	"internal/test/snifftest":               {"internal/sniff"},
	"modality/internal/media/wav":           {".", "internal/charset"},
	"modality/internal/media/mp4":           {"internal/charset"},
	"modality/internal/media/id3":           {"internal/charset"},
	"modality/internal/media/ffmpeg":        {".", "internal/child"},
	"modality/text/internal/code":           {".", "relations", "internal/sentence", "modality/text/internal/linkset"},
	"internal/about":                        {},
	"modality/document/internal/zipread":    {".", "internal/charset"},
	"modality/text/internal/markup":         {".", "internal/about", "relations", "internal/sentence", "modality/text/internal/linkset"},
	"modality/text/internal/linkset":        {".", "relations"},
	"modality/text/internal/data":           {".", "internal/sentence", "internal/lineform"},
	"modality/internal/subtitle":            {".", "internal/sentence"},
	"modality/internal/tesseract":           {".", "internal/child"},
	"schema":                                {"."},
	"mapper/llm":                            {"."},
	"mapper/llm/*":                          {".", "mapper/llm", "internal/child"},
	"mapadapter":                            {".", "ingest", "internal/child", "internal/parquet", "internal/sniff"},
	"internal/*":                            {},
	"modality/document/internal/member":     {"."},
	"internal/mention":                      {"."},
	"internal/citedtext":                    {".", "internal/mention", "internal/sentence"},
	"internal/lookup":                       {".", "internal/ledger", "internal/mention"},
	"internal/test/linetest":                {".", "workspace"},
	"internal/test/faulttest":               {".", "workspace", "relations", "modality/text"},
	"internal/test/sharedtest":              {"internal/test/testcorpus"},
	"internal/test/testrun":                 {"internal/test/sharedtest", "internal/test/testcorpus"},
	"internal/test/testcorpus":              {"internal/test/pdftest"},
	"internal/test/attacktest":              {"internal/test/pdftest"},
	"access":                                {},
	"access/keyfile":                        {"access", "internal/strictjson"},
	"access/oidc":                           {"access"},
	"mcpadapter":                            {".", "access", "preview", "reanchor", "ingest", "digest", "citation", "search", "search/index", "contents", "briefing", "answer", "server/transport", "stats", "verify", "relations", "internal/lookup", "internal/strictjson"},
	"corpus":                                {".", "answer", "briefing", "contents", "ingest", "mapper/llm", "mcpadapter", "modality", "reanchor", "relations", "search", "server/transport", "textlayer", "verify", "workspace"},
	"server":                                {".", "access", "mcpadapter"},
	"server/transport":                      {".", "access", "internal/strictjson"},
	"internal/test/mcptest":                 {".", "mcpadapter", "modality/text", "modality/virtual", "server/transport", "workspace"},
	"cmd/citekit/internal/config":           {"mcpadapter", "server"},
	"telemetry":                             {"server"},
	"cmd/citekit":                           {".", "access", "server", "server/transport", "corpus", "cmd/citekit/internal/config", "ingest", "reanchor", "digest", "citation", "citation/*", "textlayer", "preview", "relations", "search", "search/embedding", "search/index", "contents", "briefing", "answer", "stats", "verify", "workspace", "modality", "modality/*", "mcpadapter", "mapadapter", "mapper/llm", "mapper/llm/*", "schema", "internal/child", "internal/ledger", "internal/lookup", "internal/pathpattern", "internal/sniff", "cmd/citekit/internal/term", "access/*", "telemetry", "cmd/citekit/internal/logfile", "render", "modality/document/*"},
	"examples/*":                            {".", "corpus", "answer", "digest", "ingest", "verify", "workspace", "modality", "modality/*", "mcpadapter", "server/transport", "mapper/llm/openai"},
	"examples/quickstart/*":                 {"internal/test/mp4test", "internal/test/pdftest"},
	"examples/quickstart/*/*":               {"internal/test/mp4test", "internal/test/pdftest"},
	"packaging/*":                           {},
	"bench":                                 {".", "ingest", "workspace", "modality", "modality/*", "mcpadapter", "server/transport", "internal/*", "internal/*/*"},
	"modality/document/mail":                {".", "internal/about", "internal/charset", "modality/internal/htmlblocks", "modality/document/internal/member", "internal/sentence", "internal/sniff"},
	"docs/pictures":                         {".", "ingest", "modality", "preview", "workspace"},
	"bench/documents":                       {".", "modality", "modality/document/mail", "internal/sniff"},
	"bench/judged":                          {".", "answer", "corpus", "search", "textlayer", "workspace", "internal/*", "internal/*/*"},
	"modality/document/word":                {".", "internal/about", "internal/charset", "modality/internal/htmlblocks", "modality/document/internal/odf", "modality/document/internal/ooxml", "internal/sentence", "internal/sniff", "modality/document/internal/xmlspan"},
	"modality/document/internal/odf":        {".", "internal/about", "modality/document/internal/xmlspan", "modality/document/internal/zipread"},
	"modality/document/internal/ooxml":      {".", "internal/about", "modality/document/internal/xmlspan", "modality/document/internal/zipread"},
	"modality/document/database":            {".", "internal/sqlite"},
	"internal/test/sqlitetest":              {},
	"internal/test/parquettest":             {},
	"modality/document/parquet":             {".", "internal/parquet"},
	"modality/document/archive":             {".", "internal/charset", "modality/document/internal/inflate", "modality/document/internal/member", "internal/sniff", "internal/sqlite", "modality/document/internal/zipread"},
	"modality/document/sheet":               {".", "modality/document/internal/inflate", "modality/document/sheet/internal/numfmt", "modality/document/internal/odf", "modality/document/internal/ooxml", "internal/sniff", "modality/document/internal/xmlspan", "modality/document/internal/zipread"},
	"modality/document/slides":              {".", "modality/document/internal/odf", "modality/document/internal/ooxml", "internal/sentence", "internal/sniff", "modality/document/internal/xmlspan"},
	"modality/document/epub":                {".", "internal/about", "internal/charset", "modality/internal/htmlblocks", "modality/document/internal/zipread"},
}

// everywhere lists what every package may import: small mechanisms that know no
// format, and import nothing of ours but each other.
var everywhere = []string{"internal/concurrent", "internal/ctxio", "internal/lazyregexp", "internal/lenient", "internal/localfile", "internal/message", "internal/plain", "internal/timing", "internal/visible"}

// only says which packages alone may import a module outside the standard
// library, outside their tests: what is heavy stays in the room that needs it.
var only = map[string][]string{
	"github.com/pdfcpu/pdfcpu":                   {},
	"github.com/klippa-app/go-pdfium":            {"modality/document/pdf/internal/pdfium"},
	"github.com/tetratelabs/wazero":              {"modality/document/pdf/internal/pdfium"},
	"github.com/u2takey/ffmpeg-go":               {},
	"github.com/modelcontextprotocol/go-sdk":     {"mcpadapter", "corpus", "server", "server/transport", "cmd/citekit", "examples/mcpserver", "examples/httpserver", "bench", "internal/test/mcptest"},
	"golang.org/x/time":                          {"server"},
	"github.com/coreos/go-oidc":                  {"access/oidc"},
	"github.com/go-jose/go-jose":                 {"access/oidc"},
	"github.com/google/jsonschema-go":            {"examples/mcpserver", "cmd/citekit/internal/config", "schema"},
	"github.com/prometheus":                      {"telemetry"},
	"go.opentelemetry.io":                        {"telemetry"},
	"google.golang.org":                          {"telemetry"},
	"golang.org/x/image":                         {"modality/image", "modality/internal/drawing", "modality/document/pdf/internal/pdf", "internal/test/testcorpus"},
	"golang.org/x/text":                          {"internal/charset", "internal/plain", "internal/terms", "modality/text", "search", "search/embedding", "internal/test/testcorpus", "modality/document/mail"},
	"golang.org/x/net":                           {"modality/text/internal/markup", "modality/internal/htmlblocks"},
	"github.com/yuin/goldmark":                   {"modality/text/internal/markup"},
	"github.com/pelletier/go-toml":               {},
	"go.yaml.in/yaml/v3":                         {"cmd/citekit/internal/config", "modality/text/internal/markup"},
	"github.com/knadh/koanf":                     {"cmd/citekit/internal/config"},
	"github.com/clipperhouse/uax29":              {"internal/sentence", "internal/terms"},
	"github.com/blevesearch/snowballstem":        {"internal/terms"},
	"github.com/parquet-go/parquet-go":           {"internal/test/parquettest"},
	"github.com/klauspost/compress":              {"internal/parquet", "modality/document/archive"},
	"github.com/andybalholm/brotli":              {"internal/parquet"},
	"github.com/pierrec/lz4":                     {"internal/parquet"},
	"github.com/fsnotify/fsnotify":               {"cmd/citekit"},
	"github.com/google/go-cmp":                   {"modality/modalitytest"},
	"github.com/rogpeppe/go-internal/testscript": {},
}

// onlyTests lists the packages whose tests alone may import a heavy module.
// "go mod tidy" fetches what the tests of imported packages need: so these are
// packages that no other module imports.
var onlyTests = map[string][]string{
	"github.com/pdfcpu/pdfcpu":         {"e2e"},
	"github.com/rogpeppe/go-internal":  {"cmd/citekit", "mcpadapter", "server/transport"},
	"github.com/modelcontextprotocol":  {"mcpadapter", "corpus", "server", "server/transport", "cmd/citekit", "examples/*", "e2e"},
	"github.com/parquet-go/parquet-go": {"mapadapter", "internal/parquet"},
	"github.com/klippa-app/go-pdfium":  {"modality/document/pdf/internal/pdfium"},
	"github.com/u2takey/ffmpeg-go":     {"modality/internal/media/ffmpeg"},
	"github.com/prometheus":            {"telemetry"},
	"go.opentelemetry.io":              {"telemetry"},
	"google.golang.org":                {"telemetry"},
	"honnef.co/go/tools":               {},
}

// apart lists what packages that others embed do not link, however far from them.
var apart = []string{module + "/telemetry", module + "/cmd/", "github.com/prometheus/", "go.opentelemetry.io/", "google.golang.org/"}

type listedPackage struct {
	ImportPath   string
	Name         string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestDependencies(t *testing.T) {
	sharedtest.Once(t)
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if room == "" {
			room = "."
		}
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				checkOurs(t, room, strings.TrimPrefix(ours, "/"))
				continue
			}
			checkForeign(t, room, imported)
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			for heavy, rooms := range onlyTests {
				if strings.HasPrefix(imported, heavy) && !matchesAny(rooms, room) {
					t.Errorf("the tests of %s import %s", room, imported)
				}
			}
		}
	}
}

// TestRootIsLight looks at all that who imports the root links.
func TestRootIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, imported := range strings.Fields(string(out)) {
		if imported != module && !strings.HasPrefix(imported, module+"/internal/") && !strings.HasPrefix(imported, "golang.org/x/") {
			t.Errorf("who imports the root links %s", imported)
		}
	}
}

// TestEmbeddersLinkNoTelemetry looks at all that packages for embedders import.
func TestEmbeddersLinkNoTelemetry(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", ".", "./access/...", "./corpus", "./server").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, module+"/server") || !slices.Contains(linked, "net/http") {
		t.Fatalf("the list is not of all that is imported: %v", linked)
	}
	for _, imported := range linked {
		for _, far := range apart {
			if strings.HasPrefix(imported, far) {
				t.Errorf("who imports package corpus or server links %s", imported)
			}
		}
	}
}

// TestCorpusLinksTheDefaults holds what package corpus links to what a program with
// its default options uses.
func TestCorpusLinksTheDefaults(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "./corpus").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, module+"/modality") {
		t.Fatalf("the list is not of all that is imported: %v", linked)
	}
	for _, room := range []string{"access/*", "server", "mapadapter", "mapper/llm/*", "modality/document/parquet", "render", "schema", "search/embedding", "cmd/citekit/internal/config"} {
		for _, imported := range linked {
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok && matchesAny([]string{room}, ours) {
				t.Errorf("who imports package corpus links %s", ours)
			}
		}
	}
}

var goList = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "list", "-json=ImportPath,Name,GoFiles,Imports,TestImports,XTestImports", "./...").Output()
})

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := goList()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestSharedPackages checks that a package below internal/ is what several rooms share:
// what one room uses belongs to that room. Tests do not count; internal/test helps them.
func TestSharedPackages(t *testing.T) {
	importers, shared := make(map[string][]string), 0
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if name, ok := strings.CutPrefix(room, "internal/"); ok && !strings.HasPrefix(name, "test/") {
			shared++
		}
		for _, imported := range p.Imports {
			if inner, ok := strings.CutPrefix(imported, module+"/internal/"); ok && !strings.HasPrefix(inner, "test/") {
				importers[inner] = append(importers[inner], room)
			}
		}
	}
	for inner, rooms := range importers {
		if len(rooms) == 1 {
			t.Errorf("internal/%s is imported by %v alone; move it there", inner, rooms)
		}
	}
	if shared > maxShared {
		t.Errorf("%d packages in internal/, more than %d", shared, maxShared)
	}
}

// maxShared is how many packages internal/ may have besides those for tests.
const maxShared = 25

func checkOurs(t *testing.T, room, imported string) {
	if imported == "" {
		imported = "."
	}
	if room != "." && strings.HasPrefix(imported, room+"/") {
		return
	}
	allowed, known := mayImport[room]
	if !known {
		for pattern, list := range mayImport {
			if ok, _ := path.Match(pattern, room); ok {
				allowed, known = append(slices.Clone(allowed), list...), true
			}
		}
	}
	if !known && !strings.Contains("/"+room, "/internal/") {
		t.Errorf("package %s is not in the table of who may import what", room)
	}
	if !matchesAny(allowed, imported) && !matchesAny(everywhere, imported) {
		t.Errorf("%s imports %s", room, imported)
	}
}

func checkForeign(t *testing.T, room, imported string) {
	if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return // standard library
	}
	if room == "." && !strings.HasPrefix(imported, "golang.org/x/") {
		t.Errorf("the root imports %s; it may only import the standard library, golang.org/x and our own internals", imported)
	}
	for foreign, rooms := range only {
		if (imported == foreign || strings.HasPrefix(imported, foreign+"/")) && !matchesAny(rooms, room) {
			t.Errorf("%s imports %s", room, imported)
		}
	}
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok || strings.HasSuffix(pattern, "*") && strings.HasPrefix(name, strings.TrimSuffix(pattern, "*")+"/")
	})
}

// TestRoomsAreDocumented checks that the table of packages in docs/design.md has
// each of our packages, and names files that are there.
func TestRoomsAreDocumented(t *testing.T) {
	design, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(design), "\n## Packages\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var all []string
	for line := range strings.Lines(table) {
		columns := strings.Split(line, "|")
		if len(columns) != 5 {
			continue
		}
		rooms, files := quotedIn(columns[1]), quotedIn(columns[3])
		if slices.Contains(rooms, "citekit") {
			rooms = []string{"."}
		}
		all = append(all, rooms...)
		for _, room := range rooms {
			if own := append(files, path.Base(room)+".go"); !isIn(room, own...) && !strings.HasSuffix(room, "*") {
				t.Errorf("none of %q is in %s", own, room)
			}
		}
		for _, name := range files {
			if !slices.ContainsFunc(rooms, func(room string) bool { return isIn(room, name) }) {
				t.Errorf("none of %q has a file %s", rooms, name)
			}
		}
	}
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if room != "" && !matchesAny(all, room) {
			t.Errorf("docs/design.md does not name %s", room)
		}
	}
}

// quotedIn returns what stands in backquotes in a text.
func quotedIn(text string) (quoted []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			quoted = append(quoted, part)
		}
	}
	return quoted
}

// isIn reports whether a directory has one of the files.
func isIn(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(path.Join(dir, name))
		return err == nil
	})
}
