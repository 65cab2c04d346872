package command

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func versionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: lines("citekit version --json"),
		Args:    between(0, 0),
		RunE:    func(_ *cobra.Command, _ []string) error { return s.printVersion() },
	}
}

// A build describes how this program was built.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the commit had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildVersion() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func (s *session) printVersion() error {
	b := buildVersion()
	if s.json {
		return s.printJSON(b)
	}
	details := []string{b.Go, b.Platform}
	if b.Commit != "" {
		details = append([]string{"commit " + b.Commit[:min(len(b.Commit), 12)]}, details...)
	}
	s.printf("citekit %s (%s)\n", b.Version, strings.Join(details, ", "))
	return nil
}
