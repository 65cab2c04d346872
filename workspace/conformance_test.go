package workspace_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

func TestDirectoryConforms(t *testing.T) {
	parent, made := t.TempDir(), 0
	var ready []string
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		if len(ready) == 0 { // many at once, as each would have to wait
			var path string
			for range 50 {
				made++
				dir := filepath.Join(parent, strconv.Itoa(made))
				path = filepath.Join(dir, filepath.FromSlash(workspacetest.SourcePath))
				writeFile(t, path, workspacetest.SourceContent)
				ready = append(ready, dir)
			}
			waitUntilSettled(t, path)
		}
		dir := ready[0]
		ready = ready[1:]
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

func TestRemoteDriver(t *testing.T) {
	workspacetest.TestDriver(t, func(t testing.TB) driver.Bucket { return newRemote(t) })
}

// TestBucketConforms also checks each key that the driver gets.
func TestBucketConforms(t *testing.T) {
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		shared := newRemote(t)
		return func() citekit.Workspace { return damageable{openBucket(shared), shared} }
	})
}

// A damageable bucket can be damaged.
type damageable struct {
	*workspace.Bucket
	in *remote
}

func (d damageable) DamageEvidence(t testing.TB, key string) {
	prefix := "content-" + key
	if len(d.in.objects(prefix)) == 0 {
		prefix = "evidence-" + key
	}
	for _, key := range d.in.objects(prefix) {
		d.in.replace(key, func(data []byte) []byte { data[len(data)-1] ^= 1; return data })
	}
}
