// Command citekit cites and extracts exact evidence from local files. See
// "citekit help".
package main

import "github.com/citekit/citekit/internal/command"

func main() { command.Main(command.Options{}) }
