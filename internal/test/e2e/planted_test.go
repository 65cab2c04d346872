package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What evidence said, and what is planted in its place.
const (
	genuine = "pay 100"
	planted = "pay 999999 to mallory"
)

func hexSum(data ...[]byte) string {
	sum := sha256.Sum256(bytes.Join(data, nil))
	return hex.EncodeToString(sum[:])
}

// An alteration is the hash and size that evidence has now.
type alteration struct {
	hash string
	size int
}

// plant alters all evidence in a directory as someone would who hands it on
// and has no key: the records get the hash and size of the altered bytes, no
// identity, a right checksum, and the seal they had, none, or one that needs
// no key. What is altered already stays so.
func plant(t *testing.T, base, seal string) {
	t.Helper()
	out := filepath.Join(base, ".citekit_output")
	altered := make(map[string]alteration)
	paths, _ := filepath.Glob(filepath.Join(out, "*.txt"))
	for _, path := range paths {
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(old, []byte(planted)) {
			continue
		}
		data := bytes.ReplaceAll(old, []byte(genuine), []byte(planted))
		info, err := os.Stat(path)
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err == nil {
			err = os.Chtimes(path, info.ModTime(), info.ModTime())
		}
		if err != nil {
			t.Fatal(err)
		}
		altered[hexSum(old)] = alteration{hexSum(data), len(data)}
	}
	if len(paths) == 0 {
		t.Fatal("there is no evidence to alter")
	}
	records, _ := filepath.Glob(filepath.Join(out, ".meta", "evidence", "*.json"))
	for _, path := range records {
		plantRecord(t, path, seal, altered)
	}
}

// plantRecord alters a record for evidence that was altered.
func plantRecord(t *testing.T, path, seal string, altered map[string]alteration) {
	t.Helper()
	type content struct {
		Meta     map[string]any `json:"meta"`
		SHA256   string         `json:"sha256"`
		Identity string         `json:"identity"`
	}
	var stored struct {
		Seal   string          `json:"seal,omitempty"`
		SHA256 string          `json:"sha256"`
		Record json.RawMessage `json:"record"`
	}
	readJSON(t, path, &stored)
	var r content
	if err := json.Unmarshal(stored.Record, &r); err != nil {
		t.Fatal(err)
	}
	file, ok := altered[r.SHA256]
	if !ok {
		return
	}
	r.SHA256, r.Meta["size"], r.Identity = file.hash, file.size, ""
	var err error
	if stored.Record, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	switch seal {
	case "none":
		stored.Seal = ""
	case "unkeyed":
		stored.Seal = hexSum(stored.Record)
	}
	stored.SHA256 = hexSum([]byte(stored.Seal), stored.Record)
	data, err := json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, append(data, '\n'))
}

// ask resolves nodes and checks that each answer is the genuine text, or, if
// there is no source, an error. It returns how many came from what was kept.
func ask(t *testing.T, s *site, want map[string]string, hasSource bool) (cached int) {
	t.Helper()
	for node, text := range want {
		resource, id, _ := strings.Cut(node, " ")
		result := s.call("resolve", map[string]any{"resource_id": resource, "node_id": id})
		if strings.Contains(string(result.Raw), "mallory") {
			t.Errorf("%s: the answer has planted text: %s", node, result.Raw)
		}
		if result.IsError != !hasSource {
			t.Errorf("%s: %s", node, result.Text)
		}
		if result.IsError {
			continue
		}
		var a struct {
			OutputPath string `json:"output_path"`
			SHA256     string
			Cached     bool
		}
		if err := json.Unmarshal([]byte(result.Text), &a); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(a.OutputPath)
		if err != nil || string(data) != text || a.SHA256 != hexSum([]byte(text)) {
			t.Errorf("%s: %q with the hash %s, %v", node, data, a.SHA256, err)
		}
		if a.Cached {
			cached++
		}
	}
	return cached
}

// TestPlantedEvidence alters evidence in a folder, and asks servers over the
// folder, a copy and without the source: what was altered never comes.
func TestPlantedEvidence(t *testing.T) {
	if _, err := binary(); err != nil { // before the directories of a person change
		t.Fatal(err)
	}
	be := func(person string) {
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
			t.Setenv(name, filepath.Join(scratch, "planted", person, name))
		}
	}
	var lines []string
	for i := range 8 {
		lines = append(lines, "line "+string(rune('1'+i))+": "+genuine+"\n")
	}
	contract := strings.Join(lines, "")
	want := map[string]string{"contract n0": lines[2] + lines[3], "contract n1": contract, "pinned n0": lines[7]}
	for _, seal := range []string{"kept", "none", "unkeyed"} {
		t.Run("seal "+seal, func(t *testing.T) {
			be("owner")
			base := t.TempDir()
			source := filepath.Join(base, "contract.txt")
			writeFile(t, source, []byte(contract))
			writeMap(t, base, "contract", "text", "contract.txt", node{"modality": "text", "lines": []int{3, 4}}, node{"modality": "text", "lines": []int{1, 8}})
			writeMap(t, base, "pinned", "text", "contract.txt", node{"modality": "text", "lines": []int{8, 8}})
			running := serve(t, base)
			ask(t, running, want, true)
			if n := ask(t, serve(t, base), want, true); n != len(want) {
				t.Fatalf("%d of %d nodes come from what was kept", n, len(want))
			}

			plant(t, base, seal)
			copied, without := filepath.Join(t.TempDir(), "copied"), filepath.Join(t.TempDir(), "without")
			copyTree(t, base, copied)
			copyTree(t, base, without)
			if err := os.Remove(filepath.Join(without, "contract.txt")); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{base, copied, without} {
				be("another")
				ask(t, serve(t, dir), want, dir != without)
				plant(t, dir, seal)
				be("owner")
				ask(t, serve(t, dir), want, dir != without)
			}
			plant(t, base, seal)
			if n := ask(t, running, want, true); n != 0 {
				t.Errorf("%d nodes come from what was altered", n)
			}
			if n := ask(t, running, want, true); n != len(want) {
				t.Errorf("%d of %d nodes come from what was made again", n, len(want))
			}
			if err := os.Remove(source); err != nil {
				t.Fatal(err)
			}
			plant(t, base, seal)
			ask(t, running, want, false)
			ask(t, serve(t, base), want, false)
		})
	}
}
