// Command sbom writes the software bill of materials of a Go program, as CycloneDX
// JSON: the modules that the program says it was built from, with their licences
// as they stand in the module cache. What it writes depends on the program alone.
//
//	go run ./internal/tool/sbom dist/citekit-linux-amd64 >dist/citekit-linux-amd64.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "sbom: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: sbom PROGRAM")
	}
	document, err := describe(args[0])
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// A bom is a CycloneDX document with the fields that we write.
type bom struct {
	Schema       string      `json:"$schema"`
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []license  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`

	Components []component `json:"components,omitempty"` // that are inside this one
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// inside has what modules bring along that is no Go module. Their authors do not
// say which version it is; that of the module stands for it.
var inside = map[string][]component{
	"github.com/klippa-app/go-pdfium": {{
		Type: "library", Ref: "pdfium.wasm", Name: "PDFium",
		Licenses: []license{{"Apache-2.0 AND BSD-3-Clause"}},
	}},
}

// describe returns the bill of a program.
func describe(program string) (*bom, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	b := &bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		SerialNumber: serial(sum),
		Metadata: metadata{component{
			Type: "application", Ref: info.Main.Path, Name: filepath.Base(info.Path), Version: info.Main.Version,
			Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sum)}}, PURL: purl(info.Main.Path, info.Main.Version),
			Properties: settings(info),
		}},
	}
	standard, err := standardLibrary(info.GoVersion)
	if err != nil {
		return nil, err
	}
	b.Components = append(b.Components, standard)
	for _, module := range info.Deps {
		c, err := describeModule(module)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", module.Path, err)
		}
		b.Components = append(b.Components, c)
	}
	return b, nil
}

// serial returns an identifier as RFC 9562 has it (version 8), made of a hash.
func serial(sum [sha256.Size]byte) string {
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// settings returns how a program was built.
func settings(info *debug.BuildInfo) (p []property) {
	for _, s := range info.Settings {
		p = append(p, property{"go:build:" + s.Key, s.Value})
	}
	return p
}

func standardLibrary(version string) (component, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return component{}, fmt.Errorf("go env GOROOT: %w", err)
	}
	number := strings.TrimPrefix(version, "go")
	expression, err := licenceIn(strings.TrimSpace(string(out)))
	return component{
		Type: "library", Ref: "std@" + number, Name: "std", Version: number,
		Licenses: []license{{expression}}, PURL: purl("std", number),
	}, err
}

func describeModule(module *debug.Module) (component, error) {
	if r := module.Replace; r != nil && (strings.HasPrefix(r.Path, ".") || filepath.IsAbs(r.Path)) {
		return describeFolder(module)
	}
	if module.Replace != nil {
		module = module.Replace
	}
	out, err := exec.Command("go", "mod", "download", "-json", module.Path+"@"+module.Version).Output()
	if err != nil {
		return component{}, fmt.Errorf("go mod download: %w", err)
	}
	var cached struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &cached); err != nil {
		return component{}, err
	}
	if module.Sum != "" && cached.Sum != module.Sum {
		return component{}, fmt.Errorf("the program was built of %s, and the module cache has %s", module.Sum, cached.Sum)
	}
	expression, err := licenceIn(cached.Dir)
	return component{
		Type: "library", Ref: module.Path + "@" + module.Version, Name: module.Path, Version: module.Version,
		Licenses: []license{{expression}}, PURL: purl(module.Path, module.Version),
		Properties: []property{{"go:sum", cached.Sum}},
		Components: inside[module.Path],
	}, err
}

// describeFolder describes a module whose code is that of a folder, which the module of
// the working directory names. Its version is that of the program.
func describeFolder(module *debug.Module) (component, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module.Path).Output()
	if err != nil {
		return component{}, fmt.Errorf("run this in the folder of the program's module: go list: %w", err)
	}
	expression, err := licenceIn(strings.TrimSpace(string(out)))
	return component{
		Type: "library", Ref: module.Path + "@" + module.Version, Name: module.Path, Version: module.Version,
		Licenses: []license{{expression}}, PURL: purl(module.Path, module.Version),
	}, err
}

// purl returns the package URL of a module.
func purl(path, version string) string {
	url := "pkg:golang/" + path
	if version != "" && version != "(devel)" {
		url += "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	return url
}
