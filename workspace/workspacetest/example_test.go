package workspacetest_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

// The body of a TestConformance in the package of the workspace.
func ExampleRun() {
	var t *testing.T // of TestConformance
	workspacetest.Run(t, func(t testing.TB) citekit.Workspace {
		ws := workspace.NewMemory(nil)
		ws.AddSource(workspacetest.SourcePath, []byte(workspacetest.SourceContent))
		return ws
	})
}

// The body of a TestDriver in the package of the driver.
func ExampleTestDriver() {
	var t *testing.T // of TestDriver
	workspacetest.TestDriver(t, func(t testing.TB) driver.Bucket { return driver.NewMemory() })
}
