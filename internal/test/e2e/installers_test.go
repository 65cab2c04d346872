package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestInstallers reads the formula of Homebrew and the manifests of Scoop and winget, and
// looks for the address and the hash of each program in them.
func TestInstallers(t *testing.T) {
	python := sharedtest.Tool(t, "python3")
	dist := t.TempDir()
	for _, target := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64.exe", "windows-arm64.exe"} {
		writeFile(t, filepath.Join(dist, "citekit-"+target), []byte(target))
	}
	output(t, python, filepath.Join("..", "..", "..", "packaging", "carriers.py"), dist)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dist, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var server struct{ Name, Version string }
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "server.json"))
	if err == nil {
		err = json.Unmarshal(data, &server)
	}
	if err != nil {
		t.Fatal(err)
	}
	release := "https://github.com/citekit/citekit/releases/download/v" + server.Version + "/citekit-"
	hash := func(target string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(target))) }

	// By these the registry of MCP servers knows whose packages they are.
	if mark := `"mcpName": "` + server.Name + `"`; !strings.Contains(read("npm/cli/package.json"), mark) {
		t.Errorf("the package of npm has no %s", mark)
	}
	wheels, err := filepath.Glob(filepath.Join(dist, "pypi", "*.whl"))
	if err != nil || len(wheels) != 6 {
		t.Fatalf("%v, %v", wheels, err)
	}
	for _, wheel := range wheels {
		metadata, err := os.ReadFile(filepath.Join(unpack(t, wheel), "citekit-"+server.Version+".dist-info", "METADATA"))
		if mark := "<!-- mcp-name: " + server.Name + " -->"; err != nil || !strings.Contains(string(metadata), mark) {
			t.Errorf("%s has no %s: %v", wheel, mark, err)
		}
	}

	formula := read("brew/citekit.rb")
	for _, target := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		if want := fmt.Sprintf("url %q\n      sha256 %q", release+target, hash(target)); !strings.Contains(formula, want) {
			t.Errorf("the formula has no %s:\n%s", want, formula)
		}
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		output(t, ruby, "-c", filepath.Join(dist, "brew", "citekit.rb"))
	}

	var scoop struct {
		Version      string
		Architecture map[string]struct{ URL, Hash, Bin string }
	}
	if err := json.Unmarshal([]byte(read("scoop/citekit.json")), &scoop); err != nil {
		t.Fatal(err)
	}
	if got := scoop.Architecture["arm64"]; scoop.Version != server.Version || got.URL != release+"windows-arm64.exe#/citekit.exe" || got.Hash != hash("windows-arm64.exe") || got.Bin != "citekit.exe" || len(scoop.Architecture) != 2 {
		t.Errorf("scoop: %+v", scoop)
	}

	for _, kind := range []string{"version", "installer", "defaultLocale"} {
		suffix := map[string]string{"version": "", "installer": ".installer", "defaultLocale": ".locale.en-US"}[kind]
		var winget struct {
			PackageIdentifier, PackageVersion, ManifestType, ManifestVersion, ShortDescription string
			Installers                                                                         []struct{ Architecture, InstallerUrl, InstallerSha256 string }
		}
		// The keys are as winget writes them; yaml wants them small.
		var keys map[string]any
		if err := yaml.Unmarshal([]byte(read("winget/citekit.citekit"+suffix+".yaml")), &keys); err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(keys)
		if err := json.Unmarshal(data, &winget); err != nil {
			t.Fatal(err)
		}
		if winget.ManifestType != kind || winget.PackageVersion != server.Version || winget.PackageIdentifier != "citekit.citekit" || len(winget.ShortDescription) > 256 {
			t.Errorf("winget: %+v", winget)
		}
		if kind == "installer" && (len(winget.Installers) != 2 || winget.Installers[0].InstallerUrl != release+"windows-amd64.exe" || winget.Installers[0].InstallerSha256 != strings.ToUpper(hash("windows-amd64.exe"))) {
			t.Errorf("winget: %+v", winget.Installers)
		}
	}
}

// TestLinuxPackages makes the deb, rpm and apk of this platform twice, compares their bytes,
// unpacks them and runs the program. Their maker takes minutes to compile: NFPM names one.
func TestLinuxPackages(t *testing.T) {
	if os.Getenv("NFPM") == "" && !sharedtest.Long() {
		t.Skip("compiles the maker of packages; NFPM names one")
	}
	if !slices.Contains([]string{"linux/amd64", "linux/arm64"}, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Skip("the programs of Linux run on Linux")
	}
	bash, dpkg := sharedtest.Tool(t, "bash"), sharedtest.Tool(t, "dpkg-deb")
	program, err := os.ReadFile(scratchBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	name := "citekit-" + strings.ReplaceAll(runtime.GOOS+"/"+runtime.GOARCH, "/", "-")
	made := make([]map[string][]byte, 2)
	dist := ""
	for i := range made {
		dist, made[i] = t.TempDir(), make(map[string][]byte)
		writeFile(t, filepath.Join(dist, name), program)
		if err := os.Chmod(filepath.Join(dist, name), 0o755); err != nil {
			t.Fatal(err)
		}
		output(t, bash, filepath.Join("..", "..", "..", "packaging", "linux.sh"), dist)
		for _, kind := range []string{"deb", "rpm", "apk"} {
			if made[i][kind], err = os.ReadFile(filepath.Join(dist, name+"."+kind)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for kind := range made[0] {
		if !bytes.Equal(made[0][kind], made[1][kind]) {
			t.Errorf("two builds of the %s differ", kind)
		}
	}
	files := []string{"usr/bin/citekit", "usr/share/man/man1/citekit.1", "usr/share/bash-completion/completions/citekit", "usr/share/fish/vendor_completions.d/citekit.fish"}

	folder := t.TempDir()
	output(t, dpkg, "-x", filepath.Join(dist, name+".deb"), folder)
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
			t.Errorf("deb: %v", err)
		}
	}
	output(t, filepath.Join(folder, "usr", "bin", "citekit"), "version")

	// An apk is archives of tar one after another, each compressed.
	z, err := gzip.NewReader(bytes.NewReader(made[0]["apk"]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	for _, file := range files {
		if !slices.Contains(names, file) {
			t.Errorf("apk: no %s in %v", file, names)
		}
	}
	if rpm, err := exec.LookPath("rpm"); err == nil {
		list := strings.Fields(string(output(t, rpm, "-qlp", filepath.Join(dist, name+".rpm"))))
		for _, file := range files {
			if !slices.Contains(list, "/"+file) {
				t.Errorf("rpm: no %s in %v", file, list)
			}
		}
	}
}
