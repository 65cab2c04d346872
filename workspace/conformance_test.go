package workspace_test

import (
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/workspacetest"
)

func TestDirectoryConforms(t *testing.T) {
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(workspacetest.SourcePath))
		writeFile(t, path, workspacetest.SourceContent)
		waitUntilSettled(t, path)
		return func() citekit.Workspace { return open(t, dir, nil) }
	})
}

func TestMemoryConforms(t *testing.T) {
	workspacetest.Run(t, func(testing.TB) citekit.Workspace {
		m := workspace.NewMemory(nil)
		m.AddSource(workspacetest.SourcePath, []byte(workspacetest.SourceContent))
		return m
	})
}
