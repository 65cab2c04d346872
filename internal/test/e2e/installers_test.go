package e2e

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
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

// TestMarks looks in the packages of npm and PyPI for that by which the registry of MCP
// servers knows whose they are.
func TestMarks(t *testing.T) {
	python := sharedtest.Tool(t, "python3")
	dist := t.TempDir()
	for _, target := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64.exe", "windows-arm64.exe"} {
		writeFile(t, filepath.Join(dist, "citekit-"+target), []byte(target))
	}
	output(t, python, filepath.Join("..", "..", "..", "packaging", "carriers.py"), dist)
	var server struct{ Name, Version, Description string }
	readJSONFile(t, filepath.Join("..", "..", "..", "server.json"), &server)
	if !strings.Contains(readText(t, filepath.Join("..", "..", "..", ".goreleaser.yaml")), fmt.Sprintf("description: &description %q\n", server.Description)) {
		t.Errorf("what GoReleaser makes has another description than %q", server.Description)
	}
	var cli struct{ Version, MCPName string }
	readJSONFile(t, filepath.Join(dist, "npm", "cli", "package.json"), &cli)
	if cli.MCPName != server.Name || cli.Version != server.Version {
		t.Errorf("the package of npm is %+v, the server %+v", cli, server)
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
}

// TestRelease reads what GoReleaser made in the folder DIST: what archives and packages have
// in them, the program of this platform, and the addresses and hashes in what Homebrew,
// Scoop and winget read.
func TestRelease(t *testing.T) {
	dist := os.Getenv("DIST")
	if dist == "" {
		t.Skip("DIST names no folder of a release; .ci/nightly makes one")
	}
	sums := make(map[string]string) // by file
	for line := range strings.Lines(readText(t, filepath.Join(dist, "SHA256SUMS"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data := readText(t, filepath.Join(dist, name))
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(data))); got != sum {
			t.Errorf("%s has the hash %s, not %s", name, got, sum)
		}
		sums[name] = sum
	}
	shared := []string{"LICENSE", "README.md", "man/citekit.1", "completions/citekit.bash", "completions/_citekit", "completions/citekit.fish"}
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"} {
		name, program, names := "citekit-"+platform+".tar.gz", "citekit", namesOfTar
		if strings.HasPrefix(platform, "windows") {
			name, program, names = "citekit-"+platform+".zip", "citekit.exe", namesOfZIP
		}
		if sums[name] == "" || sums["citekit-"+platform+".cdx.json"] == "" {
			t.Errorf("no hash of %s, or of its list of modules", name)
		}
		contains(t, name, names(t, filepath.Join(dist, name)), append(shared, program)...)
	}
	installed := []string{"usr/bin/citekit", "usr/share/man/man1/citekit.1", "usr/share/bash-completion/completions/citekit", "usr/share/fish/vendor_completions.d/citekit.fish"}
	for _, platform := range []string{"linux-amd64", "linux-arm64"} {
		contains(t, platform+".apk", namesOfTar(t, filepath.Join(dist, "citekit-"+platform+".apk")), installed...)
		rooted := make([]string, len(installed))
		for i, file := range installed {
			rooted[i] = "/" + file
		}
		if rpm, err := exec.LookPath("rpm"); err == nil {
			contains(t, platform+".rpm", strings.Fields(string(output(t, rpm, "-qlp", filepath.Join(dist, "citekit-"+platform+".rpm")))), rooted...)
		}
		if dpkg, err := exec.LookPath("dpkg-deb"); err == nil {
			folder := t.TempDir()
			output(t, dpkg, "-x", filepath.Join(dist, "citekit-"+platform+".deb"), folder)
			for _, file := range installed {
				if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
					t.Errorf("%s.deb: %v", platform, err)
				}
			}
			if platform == runtime.GOOS+"-"+runtime.GOARCH {
				output(t, filepath.Join(folder, "usr", "bin", "citekit"), "version")
			}
		}
	}
	installers(t, dist, sums)
}

// installers reads what Homebrew, Scoop and winget read.
func installers(t *testing.T, dist string, sums map[string]string) {
	release := "https://github.com/citekit/citekit/releases/download/"
	cask := readText(t, filepath.Join(dist, "homebrew", "Casks", "citekit.rb"))
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		if sum := sums["citekit-"+platform+".tar.gz"]; !strings.Contains(cask, sum) || !strings.Contains(cask, release) {
			t.Errorf("the cask has no %s:\n%s", sum, cask)
		}
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		output(t, ruby, "-c", filepath.Join(dist, "homebrew", "Casks", "citekit.rb"))
	}
	var scoop struct {
		Architecture map[string]struct {
			URL, Hash string
			Bin       []string
		}
	}
	readJSONFile(t, filepath.Join(dist, "scoop", "citekit.json"), &scoop)
	for architecture, platform := range map[string]string{"64bit": "windows-amd64", "arm64": "windows-arm64"} {
		got, file := scoop.Architecture[architecture], "citekit-"+platform+".zip"
		if !strings.HasPrefix(got.URL, release) || !strings.HasSuffix(got.URL, "/"+file) || got.Hash != sums[file] || !slices.Equal(got.Bin, []string{"citekit.exe"}) {
			t.Errorf("scoop, %s: %+v", architecture, got)
		}
	}
	var winget struct {
		Identifier string `yaml:"PackageIdentifier"`
		Installers []struct {
			URL    string `yaml:"InstallerUrl"`
			SHA256 string `yaml:"InstallerSha256"`
		} `yaml:"Installers"`
	}
	found, err := filepath.Glob(filepath.Join(dist, "winget", "manifests", "c", "citekit", "citekit", "*", "citekit.citekit.installer.yaml"))
	if err != nil || len(found) != 1 {
		t.Fatalf("manifests of winget: %v, %v", found, err)
	}
	if err := yaml.Unmarshal([]byte(readText(t, found[0])), &winget); err != nil {
		t.Fatal(err)
	}
	if winget.Identifier != "citekit.citekit" || len(winget.Installers) != 2 {
		t.Errorf("winget: %+v", winget)
	}
	for _, one := range winget.Installers {
		if file := one.URL[strings.LastIndex(one.URL, "/")+1:]; !strings.HasPrefix(one.URL, release) || !strings.EqualFold(one.SHA256, sums[file]) {
			t.Errorf("winget: %+v", one)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// contains wants files among the names of what has them.
func contains(t *testing.T, what string, names []string, files ...string) {
	t.Helper()
	for _, file := range files {
		if !slices.Contains(names, file) {
			t.Errorf("%s has no %s but %v", what, file, names)
		}
	}
}

// namesOfTar returns the names in a compressed archive of tar; that of an apk is several, one
// after another.
func namesOfTar(t *testing.T, path string) (names []string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader([]byte(readText(t, path))))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

func namesOfZIP(t *testing.T, path string) (names []string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, file := range z.File {
		names = append(names, file.Name)
	}
	return names
}
