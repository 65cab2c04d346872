package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

var (
	wholeText = map[string]any{"modality": "text"}
	firstPage = map[string]any{"modality": "document", "pages": []int{1}}
	clip      = map[string]any{"modality": "video", "start": 0, "end": 0.5}
	crop      = map[string]any{"modality": "image", "bbox": []float64{0.1, 0.1, 0.5, 0.5}}
)

// hostile starts a server on a copy of one group of hostile files.
func hostile(t *testing.T, dir string, prepare func(base string)) *site {
	t.Helper()
	base := filepath.Join(t.TempDir(), "base")
	copyTree(t, dir, base)
	prepare(base)
	s := serve(t, base)
	s.secrets = [][]byte{canary}
	return s
}

// files returns the names in dir that are plain files, the notes aside.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && e.Name() != "expect.md" {
			names = append(names, e.Name())
		}
	}
	return names
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAttackPaths: source paths that lead out of the root, to devices, loops
// and pipes.
func TestAttackPaths(t *testing.T) { eachAttackSet(t, attackPaths) }

func attackPaths(t *testing.T, attacks attackSet) {
	dir := attacks.group("paths")
	base := filepath.Join(dir, "root")
	t.Cleanup(func() {
		os.RemoveAll(filepath.Join(base, ".resource_maps"))
		os.RemoveAll(filepath.Join(base, ".citekit_output"))
	})
	var paths []string
	readJSON(t, filepath.Join(dir, "paths.json"), &paths)
	for i, path := range paths {
		writeMap(t, base, "p"+strconv.Itoa(i), "text", path, wholeText)
	}
	s := serve(t, base)
	s.secrets = [][]byte{canary, []byte("root:x:0")}
	mayWork := map[string]bool{"link-inside-ok.txt": true, "./sub/../ok.txt": true}
	for i, path := range paths {
		data, failure := s.resolve("p"+strconv.Itoa(i), "n0")
		if failure == "" && !mayWork[path] && !strings.HasSuffix(path, "/sub/../ok.txt") && !strings.HasPrefix(path, "sub/../sub") {
			t.Errorf("%.80q was read: %.60q", path, data)
		}
		if failure == "" && string(data) != "line 1\nline 2\nline 3\n" {
			t.Errorf("%.80q gives %.60q", path, data)
		}
	}
	for _, path := range paths {
		// The path of a mapped source stands for its resource.
		if data, failure := s.resolve(path, "n0"); failure == "" && (!mayWork[path] || string(data) != "line 1\nline 2\nline 3\n") {
			t.Errorf("%.80q was read: %.60q", path, data)
		}
		if result := s.call("resolve", map[string]any{"resource_id": "p0", "node_id": path}); !result.IsError {
			t.Errorf("the node %.80q was resolved", path)
		}
		s.call("getStructure", map[string]any{"resource_id": path})
	}
}

// TestAttackSwap: the source is exchanged with a link to a secret as fast as
// can be.
func TestAttackSwap(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "d")
	writeFile(t, filepath.Join(dir, "doc.txt"), bytes.Repeat([]byte("good line\n"), 50))
	secret := filepath.Join(t.TempDir(), "secret.txt")
	writeFile(t, secret, canary)
	if err := os.Symlink(secret, filepath.Join(dir, "evil")); err != nil {
		t.Fatal(err)
	}
	stop := swapping(t, filepath.Join(dir, "doc.txt"), filepath.Join(dir, "evil"))
	defer stop()
	writeMap(t, base, "r", "text", "d/doc.txt", wholeText)
	s := serve(t, base)
	s.secrets = [][]byte{canary}
	good, refused := 0, 0
	for range usually(300, 5000) {
		data, failure := s.resolve("r", "n0")
		switch {
		case failure != "":
			refused++
		case string(data) == strings.Repeat("good line\n", 50):
			good++
		default:
			t.Fatalf("evidence of neither file: %.80q", data)
		}
	}
	t.Logf("%d right, %d refused", good, refused)
}

// TestAttackPlaylists: text that makes ffmpeg open other files.
func TestAttackPlaylists(t *testing.T) { eachAttackSet(t, attackPlaylists) }

func attackPlaylists(t *testing.T, attacks attackSet) {
	sharedtest.Tool(t, "ffmpeg")
	listen(t)
	var names []string
	s := hostile(t, attacks.group("playlists"), func(base string) {
		for i, name := range files(t, base) {
			if name != "secret-sibling.mp4" {
				writeMap(t, base, "m"+strconv.Itoa(i), "video", name, clip, map[string]any{"modality": "audio", "start": 0, "end": 0.5})
				names = append(names, "m"+strconv.Itoa(i))
			}
		}
	})
	for _, id := range names {
		for _, node := range []string{"n0", "n1"} {
			if data, failure := s.resolve(id, node); failure == "" {
				t.Errorf("%s.%s gives %d bytes", id, node, len(data))
			}
		}
	}
}

// TestAttackNames: names that a shell, ffmpeg or a terminal would take for
// something else. Each must resolve as a plain name does.
func TestAttackNames(t *testing.T) { eachAttackSet(t, attackNames) }

func attackNames(t *testing.T, attacks attackSet) {
	var names []string
	s := hostile(t, attacks.group("names"), func(base string) {
		for i, name := range files(t, base) {
			location, modality := clip, "video"
			if filepath.Ext(name) == ".png" {
				location, modality = crop, "image"
			}
			if strings.ToValidUTF8(name, "") != name {
				continue // JSON cannot hold it
			}
			writeMap(t, base, "m"+strconv.Itoa(i), modality, name, location)
			names = append(names, name)
		}
	})
	var clipData []byte
	for i, name := range names {
		data, failure := s.resolve("m"+strconv.Itoa(indexOf(t, s.base, name)), "n0")
		if failure != "" {
			t.Errorf("%q is refused: %s", name, failure)
			continue
		}
		if filepath.Ext(name) == ".png" {
			continue
		}
		if clipData == nil {
			clipData = data
		}
		if !bytes.Equal(clipData, data) {
			t.Errorf("%q gives another clip than %q", name, names[max(i-1, 0)])
		}
	}
	for _, made := range []string{"PWNED", "PWNED'"} {
		if _, err := os.Stat(filepath.Join(s.base, made)); err == nil {
			t.Errorf("a name was run as a command")
		}
	}
	percent, failure := s.resolve("m"+strconv.Itoa(indexOf(t, s.base, "img%03d.png")), "n0")
	other, _ := s.resolve("m"+strconv.Itoa(indexOf(t, s.base, "img001.png")), "n0")
	if failure != "" || bytes.Equal(percent, other) {
		t.Errorf("img%%03d.png: %d bytes, those of img001.png: %v, %s", len(percent), bytes.Equal(percent, other), failure)
	}
}

func indexOf(t *testing.T, base, name string) int {
	t.Helper()
	for i, n := range files(t, base) {
		if n == name {
			return i
		}
	}
	t.Fatalf("no file %q", name)
	return 0
}

// TestAttackDocuments: loops, bombs and lies in PDF.
func TestAttackDocuments(t *testing.T) { eachAttackSet(t, attackDocuments) }

func attackDocuments(t *testing.T, attacks attackSet) {
	listen(t)
	var names []string
	s := hostile(t, attacks.group("documents"), func(base string) {
		for _, name := range files(t, base) {
			writeMap(t, base, strings.TrimSuffix(name, ".pdf"), "document", name, firstPage, map[string]any{"modality": "document", "pages": []int{900_000_000}})
			names = append(names, strings.TrimSuffix(name, ".pdf"))
		}
	})
	for _, id := range names {
		data, failure := s.resolve(id, "n0")
		if failure == "" && !bytes.HasPrefix(data, []byte("%PDF-")) {
			t.Errorf("%s: evidence is no PDF", id)
		}
		for _, active := range []string{"/Launch", "/JavaScript", "/OpenAction"} {
			if bytes.Contains(data, []byte(active)) {
				t.Errorf("%s: the evidence has %s", id, active)
			}
		}
		if _, failure := s.resolve(id, "n1"); failure == "" {
			t.Errorf("%s has a page 900,000,000", id)
		}
		t.Logf("%s: %d bytes %s", id, len(data), failure)
	}
}

// TestAttackImages: a few bytes that claim a huge picture.
func TestAttackImages(t *testing.T) { eachAttackSet(t, attackImages) }

func attackImages(t *testing.T, attacks attackSet) {
	listen(t)
	var names []string
	s := hostile(t, attacks.group("images"), func(base string) {
		for i, name := range files(t, base) {
			writeMap(t, base, "i"+strconv.Itoa(i), "image", name, crop)
			names = append(names, name)
		}
	})
	for i, name := range names {
		data, failure := s.resolve("i"+strconv.Itoa(i), "n0")
		if failure == "" && len(data) == 0 {
			t.Errorf("%s: empty evidence", name)
		}
		t.Logf("%s: %d bytes %s", name, len(data), failure)
	}
}

// TestAttackMaps: maps that are not what they should be.
func TestAttackMaps(t *testing.T) { eachAttackSet(t, attackMaps) }

func attackMaps(t *testing.T, attacks attackSet) {
	var ids []string
	s := hostile(t, attacks.group("maps"), func(base string) {
		for _, name := range files(t, base) {
			data, err := os.ReadFile(filepath.Join(base, name))
			if err != nil {
				t.Fatal(err)
			}
			id := strings.TrimSuffix(name, ".json")
			for _, own := range []string{`"r1"`, `"deep"`, `"wide"`} { // let the map be found under its own id
				data = bytes.Replace(data, []byte(`"resource_id":`+own), []byte(`"resource_id":"`+id+`"`), 1)
				data = bytes.Replace(data, []byte(`"resource_id": `+own), []byte(`"resource_id": "`+id+`"`), 1)
			}
			writeFile(t, filepath.Join(base, ".resource_maps", name), data)
			ids = append(ids, id)
		}
		pdf, err := os.ReadFile(sharedtest.Corpus(t, "pdf/outline-nested.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(base, "ok.pdf"), pdf)
		writeMap(t, base, "good", "document", "ok.pdf", firstPage)
	})
	if result := s.call("listResources", map[string]any{}); result.IsError || !strings.Contains(result.Text, `"good"`) {
		t.Fatalf("one bad map spoils the list: %.200s", result.Text)
	}
	for _, id := range ids {
		structure := s.call("getStructure", map[string]any{"resource_id": id, "depth": 1})
		_, failure := s.resolve(id, "n1")
		t.Logf("%s: %.100s | %s", id, structure.Text, failure)
	}
	if data, failure := s.resolve("good", "n0"); failure != "" || len(data) == 0 {
		t.Errorf("the good map: %s", failure)
	}
	s.hostileNodes("locations-hostile", func(id, failure string) {
		switch id {
		case "l9", "l10", "l11": // pages in another order, repeated, and null, which is all of them
		default:
			if failure == "" {
				t.Errorf("node %s resolves", id)
			}
		}
	})
	s.hostileNodes("ids-hostile", func(string, string) {})
}

// hostileNodes resolves every node of a map and checks that no two share a
// file.
func (s *site) hostileNodes(resource string, check func(id, failure string)) {
	s.t.Helper()
	structure := s.call("getStructure", map[string]any{"resource_id": resource, "full": true})
	var m struct {
		Nodes []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(structure.Text), &m); err != nil || structure.IsError {
		s.t.Fatalf("%s: %v %.200s", resource, err, structure.Text)
	}
	paths := make(map[string]string)
	for _, n := range m.Nodes {
		result := s.call("resolve", map[string]any{"resource_id": resource, "node_id": n.ID})
		if result.IsError {
			check(n.ID, result.Text)
			continue
		}
		check(n.ID, "")
		var evidence struct {
			OutputPath string `json:"output_path"`
		}
		if err := json.Unmarshal([]byte(result.Text), &evidence); err != nil {
			s.t.Fatal(err)
		}
		path := strings.ToLower(evidence.OutputPath)
		if other, taken := paths[path]; taken && other != n.ID {
			s.t.Errorf("%.40q and %.40q share %s", other, n.ID, path)
		}
		paths[path] = n.ID
	}
}

// toolsOf returns the tools of an answer to tools/list, which beside them
// says how long it took.
func toolsOf(t *testing.T, list []byte) json.RawMessage {
	var answer struct{ Tools json.RawMessage }
	if err := json.Unmarshal(list, &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Tools) < 1000 {
		t.Fatalf("an answer to tools/list without tools: %.200s", list)
	}
	return answer.Tools
}

// TestAttackTitles: instructions and terminal escapes in titles.
func TestAttackTitles(t *testing.T) { eachAttackSet(t, attackTitles) }

func attackTitles(t *testing.T, attacks attackSet) {
	base := t.TempDir()
	plain := serve(t, t.TempDir())
	titles, err := os.ReadFile(filepath.Join(attacks.group("titles"), "titles.json"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(base, ".resource_maps", "r1.json"), titles)
	s := serve(t, base)
	with, err := s.Call("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := plain.Call("tools/list", map[string]any{})
	if err != nil || !bytes.Equal(toolsOf(t, with), toolsOf(t, without)) {
		t.Errorf("the tools depend on the maps (%v):\n%s\n%s", err, with, without)
	}
	if result := s.call("getStructure", map[string]any{"resource_id": "r1"}); result.IsError {
		t.Errorf("getStructure: %s", result.Text)
	}
	for _, args := range [][]string{{"list", "r1"}, {"list"}, {"inspect", "r1.i4"}, {"check-map", "r1"}, {"resolve", "r1.i5"}} {
		out := command(t, base, args...)
		for _, r := range out {
			if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || 0x80 <= r && r <= 0x9f || r == '\u202e' || r == '\u2066' || r == '\u2028' || r >= 0xe0000 && r <= 0xe007f {
				t.Errorf("citekit %v prints %q raw", args, r)
				break
			}
		}
	}
}

// command runs the command and returns all that it printed.
func command(t *testing.T, base string, args ...string) string {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{args[0], "--dir", base}, args[1:]...)...)
	cmd.Dir = base
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// TestAttackOutputs: output directories prepared by someone else.
func TestAttackOutputs(t *testing.T) {
	base := t.TempDir()
	site := filepath.Join(base, "site")
	hostileOutputs(t, site)
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(site, "ro"), 0o700) })
	writeFile(t, filepath.Join(base, "ok.txt"), []byte("line 1\nline 2\n"))
	writeMap(t, base, "r1", "text", "ok.txt", map[string]any{"modality": "text", "lines": []int{1, 1}})
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, umask := range []string{"000", "077"} {
		for _, output := range []string{"site/out", "site/out-link", "site/ww", "site/ro", "site/file-as-dir", "/proc", "/dev/full", strings.Repeat("x", 300)} {
			t.Run(umask+" "+output[:min(len(output), 20)], func(t *testing.T) {
				out, err := exec.Command("sh", "-c", `umask `+umask+`; exec "$@"`, "sh", bin, "resolve", "--dir", base, "--output-dir", output, "--json", "r1.n0").Output()
				if err != nil {
					return // refused; that it was said is for the command's own tests
				}
				var evidence struct {
					OutputPath string `json:"output_path"`
				}
				if err := json.Unmarshal(out, &evidence); err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				info, err := os.Lstat(evidence.OutputPath)
				if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
					t.Errorf("evidence %v, %v", info, err)
				}
				if data, _ := os.ReadFile(evidence.OutputPath); string(data) != "line 1\n" {
					t.Errorf("evidence is %q", data)
				}
			})
		}
	}
	if data, err := os.ReadFile(filepath.Join(site, "victim", "keep.txt")); string(data) != "keep\n" || err != nil {
		t.Errorf("the victim's file is now %q, %v", data, err)
	}
	if names := files(t, filepath.Join(site, "victim")); len(names) != 1 {
		t.Errorf("files were written to the victim's directory: %v", names)
	}
}

// TestAttackURLs: source paths that name what is not a local file.
func TestAttackURLs(t *testing.T) { eachAttackSet(t, attackURLs) }

func attackURLs(t *testing.T, attacks attackSet) {
	listen(t)
	var paths []string
	readJSON(t, filepath.Join(attacks.group("urls"), "source-paths.json"), &paths)
	base := t.TempDir()
	for i, path := range paths {
		for _, modality := range []string{"video", "document", "image", "text", "audio"} {
			writeMap(t, base, modality+strconv.Itoa(i), modality, path, map[string]any{"modality": modality})
		}
	}
	s := serve(t, base)
	s.secrets = [][]byte{canary}
	for i, path := range paths {
		for _, modality := range []string{"video", "document", "image", "text", "audio"} {
			if data, failure := s.resolve(modality+strconv.Itoa(i), "n0"); failure == "" {
				t.Errorf("%s gives %d bytes", path, len(data))
			}
		}
		for _, args := range []map[string]any{{"resource_id": path, "node_id": "n0"}, {"resource_id": "text0", "node_id": path}} {
			if result := s.call("resolve", args); !result.IsError {
				t.Errorf("%v is resolved", args)
			}
		}
	}
}

// TestAttackCache: stored evidence is damaged or replaced.
func TestAttackCache(t *testing.T) {
	base := t.TempDir()
	var text []byte
	for i := range 400 {
		text = fmt.Appendf(text, "line %d of the source\n", i+1)
	}
	writeFile(t, filepath.Join(base, "source.txt"), text)
	lines := bytes.SplitAfter(text, []byte("\n"))
	var locations []map[string]any
	for i := range 60 {
		locations = append(locations, map[string]any{"modality": "text", "lines": []int{i*5 + 1, i*5 + 5}})
	}
	writeMap(t, base, "r", "text", "source.txt", locations...)
	setSourceHash(t, base, "r", text)
	check := func(s *site, when string) {
		right, refused := 0, 0
		for i := range locations {
			data, failure := s.resolve("r", "n"+strconv.Itoa(i))
			switch {
			case failure != "":
				refused++
				t.Logf("%s: n%d: %s", when, i, failure)
			case !bytes.Equal(data, bytes.Join(lines[i*5:i*5+5], nil)):
				t.Errorf("%s: n%d gives %.80q", when, i, data)
			default:
				right++
			}
		}
		if right < len(locations)/2 {
			t.Errorf("%s: only %d right, %d refused", when, right, refused)
		}
		t.Logf("%s: %d right, %d refused", when, right, refused)
	}
	s := serve(t, base)
	s.secrets = [][]byte{canary}
	check(s, "fresh")
	if n := len(files(t, filepath.Join(base, ".citekit_output"))); n < len(locations) {
		t.Fatalf("%d evidence files, so nothing to poison", n)
	}
	poison(t, filepath.Join(base, ".citekit_output"))
	check(s, "the same server")
	again := serve(t, base)
	again.secrets = s.secrets
	check(again, "another server")
}

// poison damages every file below a directory: cuts it, changes a bit, puts a
// link to a secret or a directory in its place, or closes it.
func poison(t *testing.T, dir string) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret.txt")
	writeFile(t, secret, canary)
	random, n := rand.New(rand.NewPCG(1, 22)), 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		n++
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch random.IntN(5) {
		case 0:
			return os.Truncate(path, info.Size()/2)
		case 1:
			data, err := os.ReadFile(path)
			if err == nil && len(data) > 0 {
				data[len(data)/2] ^= 1
				err = os.WriteFile(path, data, 0o600)
			}
			return err
		case 2:
			return errors.Join(os.Remove(path), os.Symlink(secret, path))
		case 3:
			return os.Chmod(path, 0)
		}
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files, %v", n, err)
	}
}

// hostileOutputs makes directories for output as someone else may leave them.
func hostileOutputs(t *testing.T, site string) {
	t.Helper()
	writeFile(t, filepath.Join(site, "victim", "keep.txt"), []byte("keep\n"))
	writeFile(t, filepath.Join(site, "file-as-dir"), nil)
	for dir, mode := range map[string]os.FileMode{"out": 0o755, "ww": 0o777 | os.ModeSticky, "ro": 0o500} {
		path := filepath.Join(site, dir)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(site, "victim"), filepath.Join(site, "out-link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"r1", "r1_n1.pdf", "r1.n1.pdf", "n1.pdf", ".tmp", "r1.json", "index.json", "cache", "maps", ".meta"} { // names one may guess
		if err := os.Symlink(filepath.Join(site, "victim", "keep.txt"), filepath.Join(site, "out", name)); err != nil {
			t.Fatal(err)
		}
	}
}

// setSourceHash gives a map the hash of its source.
func setSourceHash(t *testing.T, base, id string, source []byte) {
	t.Helper()
	path := filepath.Join(base, ".resource_maps", id+".json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf(`"metadata":{"source_hash":"%x"}`, sha256.Sum256(source))
	writeFile(t, path, bytes.Replace(data, []byte(`"metadata":{}`), []byte(hash), 1))
}

// TestMalformedMessages: what a broken client may write to standard input.
func TestMalformedMessages(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"not JSON":        "hello",
		"deep":            `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"unclosed":        `{"jsonrpc":"2.0","id":1`,
		"nul":             "\x00\x00\x00",
		"array":           `[]`,
		"number":          `5`,
		"no method":       `{"jsonrpc":"2.0","id":7}`,
		"control in URI":  `{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"zzz:///\u0007"}}`,
		"invalid UTF-8":   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
		"unknown version": `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
	} {
		t.Run(name, func(t *testing.T) {
			const hello = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
			const list = `{"jsonrpc":"2.0","id":"after","method":"tools/list"}` + "\n"
			cmd := exec.Command(bin, "serve", "--dir", t.TempDir())
			cmd.Stdin = strings.NewReader(hello + line + "\n" + list)
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("exit: %v", err)
			}
			if !bytes.Contains(out, []byte(`"after"`)) || !bytes.Contains(out, []byte("getStructure")) {
				t.Errorf("the next request got no answer: %.300s", out)
			}
			for answer := range bytes.Lines(out) {
				if !json.Valid(answer) {
					t.Errorf("the server wrote %.100q", answer)
				}
			}
		})
	}
}
