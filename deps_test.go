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

	"github.com/citekit/citekit/internal/sharedtest"
)

const module = "github.com/citekit/citekit"

// mayImport says which of our packages a package may import, outside its
// tests. Patterns are as in path.Match; a package may always import those
// below itself.
var mayImport = map[string][]string{
	".":                          {"internal/ledger", "internal/meant", "internal/strictjson", "internal/sniff", "internal/slug", "internal/warm"},
	"ingest":                     {".", "internal/ledger", "internal/lookup", "internal/sniff", "internal/slug", "textlayer"},
	"render":                     {".", "internal/libreoffice", "internal/slug"},
	"internal/libreoffice":       {".", "internal/child", "internal/scratch"},
	"preview":                    {".", "internal/slug"},
	"relations":                  {"."},
	"digest":                     {"."},
	"citation":                   {".", "internal/about", "internal/citedtext", "textlayer"},
	"citation/*":                 {".", "citation", "textlayer"},
	"textlayer":                  {".", "internal/slug", "internal/warm"},
	"search":                     {".", "ingest", "internal/about", "relations", "textlayer", "preview", "internal/lineform", "internal/lookup", "internal/strictjson", "internal/terms", "internal/tokens"},
	"contents":                   {".", "relations", "textlayer", "internal/lookup", "internal/strictjson", "internal/tokens"},
	"verify":                     {".", "preview", "search", "search/index", "textlayer", "internal/citedtext", "internal/csvrow", "internal/lookup", "internal/quotation", "internal/strictjson", "internal/warm"},
	"reanchor":                   {".", "citation", "textlayer", "verify", "internal/anchor", "internal/citedtext", "internal/lookup", "internal/mention", "internal/quotation", "internal/strictjson", "internal/warm"},
	"stats":                      {".", "search", "search/index", "textlayer"},
	"briefing":                   {".", "textlayer", "search", "search/index", "internal/sentence", "internal/strictjson", "internal/terms", "internal/tokens"},
	"answer":                     {".", "textlayer", "search", "search/index", "verify", "mapper/llm", "internal/lineform", "internal/sentence", "internal/strictjson", "internal/terms", "internal/tokens"},
	"search/index":               {".", "internal/pathpattern", "internal/terms", "internal/segment"},
	"search/embedding":           {".", "search", "mapper/llm"},
	"search/embedding/*":         {"search"},
	"workspace":                  {".", "internal/filelock", "internal/pathpattern", "internal/sqlite"},
	"workspace/workspacetest":    {"."},
	"modality":                   {".", "modality/*", "modality/document/*"},
	"modality/modalitytest":      {".", "preview", "relations"},
	"modality/document":          {".", "preview", "relations", "internal/sniff", "modality/document/*"},
	"modality/document/pdf":      {".", "internal/about", "preview", "relations", "internal/pdf*", "internal/sentence", "internal/drawing", "internal/sniff", "internal/tesseract", "internal/warm"},
	"modality/video":             {".", "preview", "internal/ffmpeg", "internal/mp4", "internal/media", "internal/subtitle", "internal/warm", "modality/media"},
	"modality/audio":             {".", "preview", "internal/ffmpeg", "internal/mp4", "internal/wav", "internal/media", "internal/subtitle", "internal/warm", "modality/media"},
	"modality/image":             {".", "internal/about", "preview", "internal/exif", "internal/jpeg*", "internal/drawing", "internal/sentence", "internal/sniff", "internal/tesseract", "internal/warm", "internal/xmp"},
	"modality/text":              {".", "internal/about", "relations", "internal/charset", "internal/code", "internal/linkset", "internal/markup", "internal/data", "internal/subtitle", "internal/sentence", "internal/sniff", "internal/warm", "internal/csvrow", "internal/htmlblocks", "modality/document/mail"},
	"modality/virtual":           {"."},
	"modality/media":             {"."},
	"internal/media":             {".", "internal/about", "preview", "internal/charset", "internal/ffmpeg", "internal/id3", "internal/matroska", "internal/vorbis", "internal/mp3", "internal/mp4", "internal/drawing", "internal/sentence", "internal/sniff", "internal/subtitle", "internal/wav", "internal/warm", "modality/media"},
	"internal/drawing":           {".", "preview"},
	"internal/pdf":               {"internal/about", "internal/xmp"},
	"internal/pdfcut":            {"internal/pdf"},
	"internal/snifftest":         {"internal/sniff"},
	"internal/wav":               {".", "internal/charset"},
	"internal/mp4":               {"internal/charset"},
	"internal/id3":               {"internal/charset"},
	"internal/scratch":           {"internal/filelock"},
	"internal/ffmpeg":            {".", "internal/child", "internal/scratch"},
	"internal/code":              {".", "relations", "internal/sentence", "internal/linkset"},
	"internal/about":             {},
	"internal/zipread":           {".", "internal/charset"},
	"internal/markup":            {".", "internal/about", "relations", "internal/sentence", "internal/linkset"},
	"internal/linkset":           {".", "relations"},
	"internal/data":              {".", "internal/sentence", "internal/csvrow"},
	"internal/subtitle":          {".", "internal/sentence"},
	"internal/tesseract":         {".", "internal/child"},
	"schema":                     {"."},
	"mapper/llm":                 {"."},
	"mapper/llm/*":               {".", "mapper/llm", "internal/child", "internal/scratch"},
	"mapadapter":                 {".", "ingest", "internal/child", "internal/parquet", "internal/sniff"},
	"internal/*":                 {},
	"internal/pdfium":            {"internal/nfc"},
	"internal/meant":             {"internal/nfc", "internal/slug"},
	"internal/member":            {"."},
	"internal/mention":           {"."},
	"internal/citedtext":         {".", "internal/mention", "internal/sentence"},
	"internal/quotation":         {"internal/nfc"},
	"internal/slug":              {"internal/nfc"},
	"internal/terms":             {"internal/nfc"},
	"internal/lookup":            {".", "internal/ledger", "internal/mention", "internal/slug", "internal/nfc"},
	"internal/linetest":          {".", "workspace"},
	"internal/faulttest":         {".", "workspace", "relations", "modality/text"},
	"internal/sharedtest":        {"internal/testcorpus"},
	"internal/testrun":           {"internal/sharedtest", "internal/testcorpus"},
	"internal/testcorpus":        {"internal/pdftest"},
	"internal/attacktest":        {"internal/pdftest"},
	"access":                     {},
	"access/keyfile":             {"access", "internal/filelock", "internal/strictjson"},
	"access/oidc":                {"access"},
	"mcpadapter":                 {".", "access", "preview", "reanchor", "ingest", "digest", "citation", "search", "search/index", "contents", "briefing", "answer", "stats", "verify", "relations", "internal/lookup", "internal/meant", "internal/strictjson", "internal/tokens", "internal/nfc"},
	"corpus":                     {".", "answer", "briefing", "contents", "ingest", "mapper/llm", "mcpadapter", "modality", "reanchor", "relations", "search", "textlayer", "verify", "workspace"},
	"server":                     {".", "access", "mcpadapter"},
	"internal/config":            {"mcpadapter", "server"},
	"telemetry":                  {"server"},
	"cmd/citekit":                {".", "access", "server", "corpus", "internal/config", "ingest", "reanchor", "digest", "citation", "citation/*", "textlayer", "preview", "relations", "search", "search/embedding", "search/index", "contents", "briefing", "answer", "stats", "verify", "workspace", "modality", "modality/*", "mcpadapter", "mapadapter", "mapper/llm", "mapper/llm/*", "schema", "internal/child", "internal/ledger", "internal/lookup", "internal/pathpattern", "internal/sniff", "internal/term", "access/*", "telemetry", "internal/logfile", "render", "modality/document/*"},
	"examples/*":                 {".", "corpus", "answer", "digest", "ingest", "verify", "workspace", "modality", "modality/*", "mcpadapter", "mapper/llm/openai"},
	"examples/quickstart/*":      {"internal/mp4/mp4test", "internal/pdftest"},
	"examples/quickstart/*/*":    {"internal/mp4/mp4test", "internal/pdftest"},
	"packaging/*":                {},
	"bench":                      {".", "ingest", "workspace", "modality", "modality/*", "mcpadapter", "internal/*", "internal/*/*"},
	"modality/document/mail":     {".", "internal/about", "internal/charset", "internal/htmlblocks", "internal/member", "internal/sentence", "internal/sniff", "internal/warm"},
	"docs/pictures":              {".", "ingest", "modality", "preview", "workspace"},
	"bench/documents":            {".", "modality", "modality/document/mail", "internal/sniff"},
	"bench/judged":               {".", "answer", "corpus", "search", "textlayer", "workspace", "internal/*", "internal/*/*"},
	"modality/document/word":     {".", "internal/about", "internal/charset", "internal/htmlblocks", "internal/odf", "internal/ooxml", "internal/plain", "internal/sentence", "internal/sniff", "internal/warm", "internal/xmlspan"},
	"internal/odf":               {".", "internal/about", "internal/xmlspan", "internal/zipread"},
	"internal/ooxml":             {".", "internal/about", "internal/xmlspan", "internal/zipread"},
	"modality/document/database": {".", "internal/sqlite", "internal/warm"},
	"internal/sqlitetest":        {},
	"internal/parquettest":       {},
	"modality/document/parquet":  {".", "internal/parquet", "internal/warm"},
	"modality/document/archive":  {".", "internal/charset", "internal/inflate", "internal/member", "internal/sniff", "internal/sqlite", "internal/warm", "internal/zipread"},
	"modality/document/sheet":    {".", "internal/inflate", "internal/numfmt", "internal/odf", "internal/ooxml", "internal/sniff", "internal/warm", "internal/xmlspan", "internal/zipread"},
	"modality/document/slides":   {".", "internal/odf", "internal/ooxml", "internal/plain", "internal/sentence", "internal/sniff", "internal/xmlspan"},
	"modality/document/epub":     {".", "internal/about", "internal/charset", "internal/htmlblocks", "internal/warm", "internal/zipread"},
}

// everywhere lists what every package may import: small mechanisms that know no
// format, and import nothing of ours but each other.
var everywhere = []string{"internal/ctxio", "internal/decimal", "internal/flight", "internal/fserror", "internal/lazyregexp", "internal/lenient", "internal/message", "internal/percent", "internal/plain", "internal/pulse", "internal/semaphore", "internal/shelter", "internal/suggest", "internal/timing", "internal/visible"}

// only says which packages alone may import a module outside the standard
// library, outside their tests: what is heavy stays in the room that needs it.
var only = map[string][]string{
	"github.com/pdfcpu/pdfcpu":                   {},
	"github.com/klippa-app/go-pdfium":            {"internal/pdfium"},
	"github.com/tetratelabs/wazero":              {"internal/pdfium"},
	"github.com/u2takey/ffmpeg-go":               {},
	"github.com/modelcontextprotocol/go-sdk":     {"mcpadapter", "corpus", "server", "cmd/citekit", "examples/mcpserver", "examples/httpserver", "bench"},
	"golang.org/x/time":                          {"server"},
	"github.com/coreos/go-oidc":                  {"access/oidc"},
	"github.com/go-jose/go-jose":                 {"access/oidc"},
	"github.com/google/jsonschema-go":            {"examples/mcpserver", "internal/config", "schema"},
	"github.com/prometheus":                      {"telemetry"},
	"go.opentelemetry.io":                        {"telemetry"},
	"google.golang.org":                          {"telemetry"},
	"golang.org/x/image":                         {"modality/image", "internal/drawing", "internal/pdf", "internal/testcorpus"},
	"golang.org/x/text":                          {"internal/charset", "internal/terms", "modality/text", "search", "search/embedding", "internal/testcorpus", "modality/document/mail"},
	"golang.org/x/net":                           {"internal/markup", "internal/htmlblocks"},
	"github.com/yuin/goldmark":                   {"internal/markup"},
	"github.com/pelletier/go-toml":               {},
	"go.yaml.in/yaml/v3":                         {"internal/config", "internal/markup"},
	"github.com/knadh/koanf":                     {"internal/config"},
	"github.com/clipperhouse/uax29":              {"internal/sentence", "internal/terms"},
	"github.com/blevesearch/snowballstem":        {"internal/terms"},
	"github.com/parquet-go/parquet-go":           {"internal/parquettest"},
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
	"github.com/rogpeppe/go-internal":  {"cmd/citekit", "mcpadapter"},
	"github.com/modelcontextprotocol":  {"mcpadapter", "corpus", "server", "cmd/citekit", "examples/*", "e2e"},
	"github.com/parquet-go/parquet-go": {"mapadapter", "internal/parquet"},
	"github.com/klippa-app/go-pdfium":  {"internal/pdfium"},
	"github.com/u2takey/ffmpeg-go":     {"internal/ffmpeg"},
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
	for _, room := range []string{"access/*", "server", "mapadapter", "mapper/llm/*", "modality/document/parquet", "render", "schema", "search/embedding", "internal/config"} {
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
	if !known && !strings.HasPrefix(room, "internal/") {
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
	if room == "." {
		t.Errorf("the root imports %s; it may only import the standard library and our own internals", imported)
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
