package citekit_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
	".":                                     {"internal/ledger", "internal/sniff"},
	"ingest":                                {".", "workspace", "internal/ledger", "internal/lookup", "internal/sniff", "textlayer"},
	"internal/command/internal/render":      {".", "preview", "internal/command/internal/libreoffice", "internal/lineform"},
	"internal/command/internal/libreoffice": {".", "internal/child"},
	"internal/command/internal/handover":    {".", "citation", "cite", "corpus", "preview", "textlayer", "verify", "internal/lookup"},
	"preview":                               {"."},
	"relations":                             {"."},
	"citation":                              {".", "internal/citedtext", "textlayer"},
	"cite":                                  {".", "citation", "internal/lookup", "reanchor", "textlayer", "verify"},
	"textlayer":                             {"."},
	"search":                                {".", "ingest", "relations", "textlayer", "preview", "internal/lineform", "internal/lookup", "internal/terms"},
	"contents":                              {".", "preview", "relations", "search", "textlayer", "internal/lookup", "internal/sentence", "internal/terms"},
	"view":                                  {".", "citation", "internal/lineform", "internal/lookup", "preview", "textlayer", "verify"},
	"verify":                                {".", "preview", "search", "textlayer", "internal/citedtext", "internal/lineform", "internal/lookup", "internal/quotation"},
	"reanchor":                              {".", "workspace", "citation", "textlayer", "verify", "reanchor/internal/anchor", "internal/citedtext", "internal/lookup", "internal/quotation"},
	"internal/stats":                        {".", "workspace", "search", "textlayer", "ingest"},
	"answer":                                {".", "textlayer", "search", "verify", "mapper/llm", "internal/lineform", "internal/sentence", "internal/terms"},
	"search/internal/index":                 {".", "workspace", "internal/pathpattern", "internal/terms", "search/internal/index/internal/segment"},
	"search/embedding":                      {".", "search", "mapper/llm"},
	"search/embedding/internal/embeddingtest": {"search"},
	"workspace":                                      {".", "internal/ledger", "internal/pathpattern", "internal/sqlite"},
	"workspace/driver":                               {},
	"workspace/workspacetest":                        {".", "workspace", "workspace/driver"},
	"modality":                                       {".", "modality/*"},
	"modality/modalitytest":                          {".", "preview", "relations"},
	"modality/document":                              {".", "preview", "relations", "internal/sniff", "modality/document/*"},
	"modality/document/internal/pdf":                 {".", "preview", "relations", "modality/document/internal/pdf/internal/pdf*", "internal/sentence", "modality/internal/drawing", "internal/sniff", "modality/internal/tesseract", "modality/internal/docfile"},
	"modality/media":                                 {".", "preview", "modality/internal/media/ffmpeg", "modality/internal/media/mp4", "modality/internal/media/wav", "modality/internal/media", "modality/internal/media/speech", "modality/internal/subtitle"},
	"modality/image":                                 {".", "preview", "modality/image/internal/exif", "modality/image/internal/jpeg*", "modality/internal/drawing", "internal/sentence", "internal/sniff", "modality/internal/tesseract", "modality/internal/xmp"},
	"modality/text":                                  {".", "preview", "relations", "internal/charset", "modality/text/internal/code", "modality/text/internal/linkset", "modality/text/internal/markup", "modality/text/internal/data", "modality/internal/subtitle", "internal/sentence", "internal/sniff", "internal/lineform", "modality/internal/htmlblocks", "modality/internal/mail", "modality/internal/docfile"},
	"modality/internal/media":                        {".", "preview", "internal/charset", "modality/internal/media/ffmpeg", "modality/internal/media/id3", "modality/internal/media/matroska", "modality/internal/media/vorbis", "modality/internal/media/mp3", "modality/internal/media/mp4", "modality/internal/drawing", "internal/sentence", "internal/sniff", "modality/internal/subtitle", "modality/internal/media/wav", "modality/internal/media/metadata", "modality/internal/media/speech"},
	"internal/test/doctest":                          {"."},
	"modality/document/internal/rows":                {"."},
	"modality/document/internal/xmlspan":             {"."},
	"modality/internal/docfile":                      {".", "preview", "modality/internal/htmlblocks"},
	"modality/internal/media/speech":                 {".", "modality/internal/subtitle"},
	"modality/internal/media/ffmpegtest":             {"internal/test/sharedtest"},
	"modality/internal/media/matroska":               {"modality/internal/media/metadata"},
	"modality/internal/media/vorbis":                 {"modality/internal/media/metadata"},
	"internal/test/mcptest":                          {".", "mcpadapter", "modality", "modality/text", "server/transport", "workspace"},
	"server/transport":                               {".", "access", "internal/mcpcall"},
	"modality/internal/drawing":                      {".", "preview"},
	"modality/document/internal/pdf/internal/pdf":    {"modality/internal/xmp", "modality/document/internal/numeral"},
	"modality/document/internal/pdf/internal/pdfcut": {"modality/document/internal/pdf/internal/pdf"},
	"internal/test/snifftest":                        {"internal/sniff"},
	"modality/internal/media/wav":                    {".", "internal/charset", "modality/internal/media/metadata"},
	"modality/internal/media/mp4":                    {"internal/charset", "modality/internal/media/metadata"},
	"modality/internal/media/id3":                    {"internal/charset", "modality/internal/media/metadata"},
	"modality/internal/media/ffmpeg":                 {".", "internal/child"},
	"modality/text/internal/code":                    {".", "relations", "internal/sentence", "modality/text/internal/linkset"},
	"internal/about":                                 {},
	"modality/document/internal/zipread":             {".", "internal/charset", "modality/document/internal/xmlspan"},
	"modality/text/internal/markup":                  {".", "relations", "internal/sentence", "modality/text/internal/linkset"},
	"modality/text/internal/linkset":                 {".", "relations"},
	"modality/text/internal/data":                    {".", "internal/sentence", "internal/lineform"},
	"modality/internal/subtitle":                     {".", "internal/sentence"},
	"modality/internal/tesseract":                    {".", "internal/child"},
	"internal/command/internal/schema":               {"."},
	"internal/command/internal/clients":              {},
	"internal/command/internal/skill":                {},
	"mapper/llm":                                     {".", "internal/child"},
	"mapadapter":                                     {".", "ingest", "internal/child", "internal/parquet", "internal/sniff"},
	"internal/*":                                     {},
	"modality/internal/member":                       {"."},
	"internal/mcpcall":                               {".", "access"},
	"internal/citedtext":                             {".", "internal/sentence"},
	"internal/quotation":                             {"internal/lineform"},
	"internal/lookup":                                {".", "internal/citedtext", "internal/ledger"},
	"internal/test/linetest":                         {".", "workspace"},
	"internal/test/faulttest":                        {".", "workspace", "relations", "modality/text"},
	"internal/test/sharedtest":                       {"internal/test/testcorpus"},
	"internal/test/testrun":                          {"internal/test/sharedtest", "internal/test/testcorpus"},
	"internal/test/testcorpus":                       {"internal/test/pdftest"},
	"internal/test/attacktest":                       {"internal/test/pdftest"},
	"access":                                         {},
	"access/oidc":                                    {"access"},
	"mcpadapter":                                     {".", "access", "preview", "reanchor", "ingest", "citation", "search", "contents", "answer", "internal/stats", "verify", "relations", "view", "internal/lookup", "internal/mcpcall", "server/transport"},
	"mcpadapter/internal/apps":                       {},
	"mcpadapter/internal/watch":                      {".", "internal/mcpcall"},
	"api":                                            {".", "answer", "cite", "contents", "ingest", "relations", "search", "textlayer", "verify", "view", "server/transport", "internal/ledger", "internal/lookup", "internal/mcpcall", "internal/stats"},
	"corpus":                                         {".", "access", "answer", "api", "cite", "contents", "corpus/internal/*", "internal/mcpcall", "ingest", "mapper/llm", "mcpadapter", "modality", "reanchor", "relations", "search", "textlayer", "verify", "view", "workspace", "server/transport"},
	"viewer":                                         {".", "api", "internal/mcpcall", "server", "server/transport"},
	"corpus/internal/lightfast":                      {".", "api", "mcpadapter", "internal/mcpcall", "server/transport"},
	"server":                                         {".", "access", "api", "internal/mcpcall", "mcpadapter"},
	"corpus/internal/sage":                           {".", "contents", "corpus/internal/topics", "internal/stats", "mcpadapter", "search"},
	"corpus/internal/topics":                         {".", "contents", "internal/stats"},
	"internal/command/internal/config":               {"corpus", "mcpadapter", "server", "server/transport"},
	"internal/command/internal/telemetry":            {"server"},
	"internal/command":                               {".", "access", "api", "server", "corpus", "internal/command/internal/config", "ingest", "reanchor", "citation", "cite", "textlayer", "preview", "relations", "search", "search/embedding", "search/internal/index", "contents", "answer", "internal/stats", "verify", "viewer", "workspace", "modality", "modality/*", "mcpadapter", "mapadapter", "mapper/llm", "internal/command/internal/schema", "internal/child", "internal/ledger", "internal/lookup", "internal/mcpcall", "internal/pathpattern", "internal/sniff", "internal/command/internal/term", "access/*", "internal/command/internal/telemetry", "internal/command/internal/logfile", "internal/command/internal/handover", "internal/command/internal/render", "internal/command/internal/clients", "internal/command/internal/skill", "modality/document/*", "server/transport"},
	"cmd/citekit":                                    {"internal/command"},
	"examples/*":                                     {".", "corpus", "answer", "contents", "ingest", "verify", "workspace", "modality", "modality/*", "modality/document/pdf", "mcpadapter", "mapper/llm", "server/transport"},
	"examples/quickstart/*":                          {"internal/test/mp4test", "internal/test/pdftest"},
	"examples/quickstart/*/*":                        {"internal/test/mp4test", "internal/test/pdftest"},
	"bench/altered":                                  {"internal/test/altertest", "internal/test/stdio"},
	"internal/test/altertest":                        {},
	"internal/tool/*":                                {},
	"internal/tool/bench":                            {".", "ingest", "workspace", "modality", "modality/*", "mcpadapter", "internal/*", "internal/*/*", "server/transport"},
	"modality/internal/mail":                         {".", "internal/charset", "modality/internal/htmlblocks", "modality/internal/member", "internal/sentence", "internal/sniff", "modality/internal/docfile"},
	"internal/tool/pictures":                         {".", "ingest", "modality", "preview", "workspace"},
	"internal/tool/documents":                        {".", "modality", "internal/sniff"},
	"internal/tool/judged":                           {".", "answer", "corpus", "search", "textlayer", "workspace", "internal/*", "internal/*/*"},
	"modality/document/internal/word":                {".", "preview", "internal/charset", "modality/internal/htmlblocks", "modality/document/internal/odf", "modality/document/internal/ooxml", "internal/sentence", "internal/sniff", "modality/document/internal/xmlspan", "modality/document/internal/numeral", "modality/internal/docfile"},
	"modality/document/internal/odf":                 {".", "preview", "modality/internal/htmlblocks", "modality/document/internal/xmlspan", "modality/document/internal/zipread"},
	"modality/document/internal/ooxml":               {"modality/internal/htmlblocks", ".", "modality/document/internal/xmlspan", "modality/document/internal/zipread"},
	"modality/document/internal/database":            {".", "internal/sqlite", "modality/document/internal/rows", "modality/internal/docfile"},
	"internal/test/sqlitetest":                       {},
	"internal/test/issuertest":                       {},
	"internal/test/parquettest":                      {},
	"modality/document/pdf":                          {"modality/document/internal/pdf"},
	"modality/document/parquet":                      {".", "internal/parquet", "modality/document/internal/rows", "modality/internal/docfile"},
	"modality/document/internal/archive":             {".", "internal/charset", "modality/document/internal/inflate", "modality/internal/member", "internal/sniff", "internal/sqlite", "modality/document/internal/zipread"},
	"modality/document/internal/sheet":               {".", "modality/internal/htmlblocks", "modality/document/internal/inflate", "modality/document/internal/sheet/internal/numfmt", "modality/document/internal/odf", "modality/document/internal/ooxml", "internal/sniff", "modality/document/internal/xmlspan", "modality/document/internal/zipread", "modality/internal/docfile"},
	"modality/document/internal/slides":              {".", "preview", "modality/internal/htmlblocks", "modality/document/internal/odf", "modality/document/internal/ooxml", "internal/sentence", "internal/sniff", "modality/document/internal/xmlspan", "modality/internal/docfile"},
	"modality/document/internal/epub":                {".", "preview", "internal/charset", "modality/internal/htmlblocks", "modality/document/internal/zipread", "modality/internal/docfile"},
}

// everywhere lists what every package may import: small mechanisms that know no
// format, and import nothing of ours but each other.
var everywhere = []string{"internal/about", "internal/concurrent", "internal/ctxio", "internal/lazyregexp", "internal/lenient", "internal/localfile", "internal/message", "internal/plain", "internal/selector", "internal/strictjson"}

// only says which packages alone may import a module outside the standard
// library, outside their tests: what is heavy stays in the room that needs it.
var only = map[string][]string{
	"github.com/pdfcpu/pdfcpu":                   {"internal/command/internal/handover"},
	"github.com/boombuler/barcode":               {"internal/command/internal/handover"},
	"github.com/klippa-app/go-pdfium":            {"modality/document/internal/pdf/internal/pdfium"},
	"github.com/tetratelabs/wazero":              {"modality/document/internal/pdf/internal/pdfium"},
	"github.com/u2takey/ffmpeg-go":               {},
	"github.com/modelcontextprotocol/go-sdk":     {"mcpadapter", "mcpadapter/internal/apps", "mcpadapter/internal/watch", "corpus", "corpus/internal/*", "internal/mcpcall", "server", "server/transport", "viewer", "internal/test/mcptest", "internal/command", "examples/mcpserver", "examples/httpserver", "internal/tool/bench"},
	"github.com/danielgtaylor/huma":              {"api"},
	"github.com/evanw/esbuild":                   {"internal/tool/bundle"},
	"golang.org/x/time":                          {"server"},
	"github.com/coreos/go-oidc":                  {"access/oidc"},
	"github.com/go-jose/go-jose":                 {"access/oidc"},
	"github.com/google/jsonschema-go":            {"examples/mcpserver", "internal/command/internal/config", "internal/command/internal/schema"},
	"github.com/VictoriaMetrics":                 {"internal/command/internal/telemetry"},
	"go.opentelemetry.io":                        {"internal/command/internal/telemetry"},
	"google.golang.org":                          {"internal/command/internal/telemetry"},
	"golang.org/x/image":                         {"internal/command/internal/handover", "modality/image", "modality/internal/drawing", "modality/document/internal/pdf/internal/pdf", "internal/test/testcorpus"},
	"golang.org/x/text":                          {"internal/charset", "internal/plain", "internal/terms", "modality/text", "search", "search/embedding", "internal/test/altertest", "internal/test/testcorpus", "modality/internal/mail"},
	"golang.org/x/net":                           {"modality/text/internal/markup", "modality/internal/htmlblocks"},
	"github.com/yuin/goldmark":                   {"modality/text/internal/markup"},
	"go.yaml.in/yaml/v3":                         {"internal/command/internal/config", "internal/command/internal/clients", "modality/text/internal/markup"},
	"github.com/tailscale/hujson":                {"internal/command/internal/clients"},
	"github.com/pelletier/go-toml/v2":            {"internal/command/internal/clients"},
	"github.com/clipperhouse/uax29":              {"internal/sentence", "internal/terms"},
	"github.com/blevesearch/snowballstem":        {"internal/terms"},
	"github.com/parquet-go/parquet-go":           {"internal/test/parquettest"},
	"github.com/klauspost/compress":              {"internal/parquet", "modality/document/internal/archive"},
	"github.com/andybalholm/brotli":              {"internal/parquet"},
	"github.com/pierrec/lz4":                     {"internal/parquet"},
	"github.com/fsnotify/fsnotify":               {"internal/command"},
	"github.com/spf13":                           {"internal/command"},
	"github.com/google/go-cmp":                   {"modality/modalitytest"},
	"github.com/rogpeppe/go-internal/testscript": {},
}

// onlyTests lists the packages whose tests alone may import a heavy module.
// "go mod tidy" fetches what the tests of imported packages need: so these are
// packages that no other module imports.
var onlyTests = map[string][]string{
	"github.com/pdfcpu/pdfcpu":         {"internal/test/e2e", "internal/command/internal/handover"},
	"github.com/rogpeppe/go-internal":  {"internal/command", "mcpadapter", "server/transport"},
	"github.com/evanw/esbuild":         {"internal/test/e2e"},
	"github.com/modelcontextprotocol":  {"internal/mcpcall", "mcpadapter", "mcpadapter/internal/watch", "corpus", "corpus/internal/*", "server", "server/transport", "internal/command", "examples/*", "internal/test/e2e"},
	"github.com/parquet-go/parquet-go": {"mapadapter", "internal/parquet"},
	"github.com/klippa-app/go-pdfium":  {"modality/document/internal/pdf/internal/pdfium"},
	"github.com/u2takey/ffmpeg-go":     {"modality/internal/media/ffmpeg"},
	"go.opentelemetry.io":              {"internal/command/internal/telemetry"},
	"google.golang.org":                {"internal/command/internal/telemetry"},
	"honnef.co/go/tools":               {},
}

// apart lists what packages that others embed do not link, however far from them.
var apart = []string{module + "/internal/command", "github.com/VictoriaMetrics/", "go.opentelemetry.io/", "google.golang.org/"}

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
	for _, room := range []string{"access/*", "server", "mapadapter", "modality/document/parquet", "internal/command/internal/render", "internal/command/internal/schema", "search/embedding", "internal/command/internal/config"} {
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

// maxPublic is how many packages others may import. The last are view, of which a program
// makes a page of its own, viewer, whose pages it mounts, and modality/document/pdf: whoever
// imports no more than they need does not fetch and link the rest.
const maxPublic = 35

// TestPublicPackages checks that docs/library.md says by its path what each public
// package gives, and to whom.
func TestPublicPackages(t *testing.T) {
	sharedtest.Once(t)
	text, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	named := quotedIn(string(text))
	var public []string
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if p.Name != "main" && !strings.Contains("/"+room, "/internal/") && !strings.HasPrefix(room, "examples/") {
			public = append(public, p.ImportPath)
		}
	}
	for _, name := range public {
		if !slices.Contains(named, name) {
			t.Errorf("%s is public, and docs/library.md does not name it", name)
		}
	}
	if n := len(public); n < 20 || n > maxPublic {
		t.Errorf("%d public packages, want at most %d: %v", n, maxPublic, public)
	}
}

// TestSharedPackages checks that a package below internal/ is what several rooms share:
// what one room uses belongs to that room. Tests and tools of ours do not count: neither
// internal/test and internal/tool, which hold them, nor what is imported there. Nor does
// internal/command count as shared: it is the program, a room of its own, and lies there
// because two mains run it, cmd/citekit and that of the module in the folder cloud.
func TestSharedPackages(t *testing.T) {
	importers, shared := make(map[string][]string), 0
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if matchesAny([]string{"internal/test/*", "internal/tool/*"}, room) {
			continue
		}
		program := func(room string) bool {
			return matchesAny([]string{"internal/command*"}, room)
		}
		if strings.HasPrefix(room, "internal/") && !program(room) {
			shared++
		}
		for _, imported := range p.Imports {
			if inner, ok := strings.CutPrefix(imported, module+"/internal/"); ok && !strings.HasPrefix(inner, "test/") && !program("internal/"+inner) {
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

// maxShared is how many packages internal/ may have besides tests and tools.
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

// TestPackagesOfNode holds the folders of npm to versions that a lock names, so that
// what tests compare with does not change with the registry. The lock names no host
// either: each machine has a registry of its own.
func TestPackagesOfNode(t *testing.T) {
	setup, err := os.ReadFile(".ci/setup")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.Name() != "package.json" {
			return nil
		}
		found++
		lock, err := os.ReadFile(filepath.Join(filepath.FromSlash(path.Dir(name)), "package-lock.json"))
		if err != nil {
			t.Errorf("%v; 'npm install --package-lock-only' makes it", err)
		}
		if bytes.Contains(lock, []byte(`"resolved"`)) {
			t.Errorf("the lock beside %s names a registry; say omit-lockfile-registry-resolved=true in .npmrc", name)
		}
		if !bytes.Contains(setup, []byte(path.Dir(name))) {
			t.Errorf(".ci/setup does not install %s", path.Dir(name))
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d folders of npm, %v", found, err)
	}
}
