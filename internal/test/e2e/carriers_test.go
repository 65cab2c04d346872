package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestCarriers makes the packages for npm and PyPI of this platform, installs them from
// their files and starts the program in each, without Go.
func TestCarriers(t *testing.T) {
	python, node, npm := sharedtest.Tool(t, "python3"), sharedtest.Tool(t, "node"), sharedtest.Tool(t, "npm")
	dist := t.TempDir()
	program, err := os.ReadFile(scratchBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	writeFile(t, filepath.Join(dist, "citekit-"+runtime.GOOS+"-"+runtime.GOARCH+exe), program)
	output(t, python, filepath.Join("..", "..", "..", "packaging", "carriers.py"), dist)

	t.Run("npm", func(t *testing.T) {
		packages, err := filepath.Glob(filepath.Join(dist, "npm", "*"))
		if err != nil || len(packages) != 2 {
			t.Fatalf("%v, %v", packages, err)
		}
		project := t.TempDir()
		writeFile(t, filepath.Join(project, "package.json"), []byte("{}"))
		var files []string
		for _, folder := range packages {
			pack := exec.CommandContext(t.Context(), npm, "pack", "--silent", folder)
			pack.Dir = project
			name, err := pack.Output()
			if err != nil {
				t.Fatalf("npm pack: %v", err)
			}
			files = append(files, filepath.Join(project, strings.TrimSpace(string(name))))
		}
		install := exec.CommandContext(t.Context(), npm, append([]string{"install", "--offline", "--no-audit", "--no-fund"}, files...)...)
		install.Dir = project
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		script := filepath.Join(project, "node_modules", "@citekit", "cli", "citekit.js")
		serve := exec.CommandContext(t.Context(), node, script, "serve", "--dir", t.TempDir())
		serve.Env = append(os.Environ(), "PATH="+filepath.Dir(node))
		useServer(t, &mcp.CommandTransport{Command: serve}, "resolve")

		fail := exec.CommandContext(t.Context(), node, script, "resolve")
		if err := fail.Run(); fail.ProcessState == nil || fail.ProcessState.ExitCode() != 2 {
			t.Errorf("its exit code is not that of the program: %v", err)
		}
		if err := os.RemoveAll(filepath.Join(project, "node_modules", "@citekit", "cli-"+npmPlatform(t, node))); err != nil {
			t.Fatal(err)
		}
		lost := exec.CommandContext(t.Context(), node, script, "version")
		if out, err := lost.CombinedOutput(); err == nil || !strings.Contains(string(out), "install again with optional packages") {
			t.Errorf("without the package of the platform: %v %s", err, out)
		}
	})
	t.Run("wheel", func(t *testing.T) {
		wheels, err := filepath.Glob(filepath.Join(dist, "pypi", "*.whl"))
		if err != nil || len(wheels) != 1 {
			t.Fatalf("%v, %v", wheels, err)
		}
		if exec.CommandContext(t.Context(), python, "-c", "import pip").Run() != nil {
			sharedtest.Missing(t, "pip is not installed")
		}
		folder := t.TempDir()
		output(t, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--prefix", folder, wheels[0])
		found, err := filepath.Glob(filepath.Join(folder, "*", "citekit"+exe))
		if deeper, _ := filepath.Glob(filepath.Join(folder, "*", "*", "citekit"+exe)); len(found) == 0 {
			found = deeper // Debian's pip puts "local" before "bin"
		}
		if err != nil || len(found) != 1 {
			t.Fatalf("the program is not below %s: %v, %v", folder, found, err)
		}
		serve := exec.CommandContext(t.Context(), found[0], "serve", "--dir", t.TempDir())
		useServer(t, &mcp.CommandTransport{Command: serve}, "resolve")
	})
}

// npmPlatform returns this platform as Node names it.
func npmPlatform(t *testing.T, node string) string {
	t.Helper()
	return strings.TrimSpace(string(output(t, node, "-p", "process.platform + '-' + process.arch")))
}
