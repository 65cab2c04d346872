package main

import (
	"strings"

	"github.com/citekit/citekit/mcpadapter"
)

// toolFlags choose the tools of a server.
type toolFlags struct {
	toolsets, tools string
	readOnly        bool
}

func (t *toolFlags) register(f *flagSet) {
	f.StringVar(&t.toolsets, "toolsets", "", "offer only the tools of these `TOOLSETS`: "+strings.Join(mcpadapter.Toolsets(), ", ")+"; with commas")
	f.StringVar(&t.tools, "tools", "", "offer only these `TOOLS`, by name, with commas")
	f.BoolVar(&t.readOnly, "read-only", false, "no tool writes maps or evidence files, also with --ingest")
}

// choose sets the options that the flags are for, the last of all.
func (t *toolFlags) choose(opts *mcpadapter.Options) error {
	opts.Toolsets, opts.Tools, opts.ReadOnly = commaNames(t.toolsets), commaNames(t.tools), t.readOnly
	if err := opts.Check(); err != nil {
		return usagef("serve", "%v", err)
	}
	return nil
}

// commaNames returns the names between commas, or nil if there are none.
func commaNames(list string) []string {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 0 {
		return nil
	}
	return names
}
