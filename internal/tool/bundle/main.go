// Command bundle makes the page that shows evidence in clients with MCP Apps: one HTML file
// of the modules and styles in viewer/assets, which loads nothing.
//
//	go run ./internal/tool/bundle mcpadapter/internal/apps/evidence.html
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("give the file to write")
	}
	root, err := root()
	if err != nil {
		return err
	}
	page, err := Page(filepath.Join(root, "viewer", "assets"))
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], page, 0o644)
}

// root returns the directory of the module that the working directory is in.
func root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			err = errors.New("no go.mod here or above")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Page returns the page made of evidence.js and evidence.css in a directory, and of what
// they import.
func Page(assets string) ([]byte, error) {
	script, err := built(filepath.Join(assets, "evidence.js"))
	if err != nil {
		return nil, err
	}
	style, err := built(filepath.Join(assets, "evidence.css"))
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, `<!doctype html>
<html lang="en" data-tool="viewEvidence">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence</title>
<style>%s</style>
<main id="main" tabindex="-1"></main>
<script>%s</script>
</html>
`, hash(script), hash(style), style, script)
	return page.Bytes(), nil
}

// built returns a module or a style sheet with what it imports, minified.
func built(path string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{path},
		Bundle:            true,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsInline,
		LogLevel:          api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		first := result.Errors[0]
		if at := first.Location; at != nil {
			return nil, fmt.Errorf("%s:%d: %s", at.File, at.Line, first.Text)
		}
		return nil, errors.New(first.Text)
	}
	return bytes.TrimSpace(result.OutputFiles[0].Contents), nil
}

// hash returns a source of a content security policy that allows what is inline.
func hash(inline []byte) string {
	sum := sha256.Sum256(inline)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
