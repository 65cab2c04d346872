// Typecheck reports what would not compile on other systems, tests included, without
// compiling it: go run ./internal/tool/typecheck darwin/arm64 windows/amd64
//
// All packages are read from their sources, in a tenth of the time that a compiler takes
// which has compiled none of them before. What only a linker sees it does not report.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	faults := 0
	for _, target := range os.Args[1:] {
		n, err := check(target)
		if err != nil {
			fmt.Fprintf(os.Stderr, "typecheck: %s: %v\n", target, err)
			os.Exit(1)
		}
		faults += n
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// check prints what is wrong for a system such as "darwin/arm64", and returns how much.
func check(target string) (int, error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return 0, fmt.Errorf("it is no system and processor, such as darwin/arm64")
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		Tests: true,
	}, "./...")
	if err != nil {
		return 0, err
	}
	if len(loaded) == 0 {
		return 0, fmt.Errorf("there are no packages")
	}
	return packages.PrintErrors(loaded), nil
}
