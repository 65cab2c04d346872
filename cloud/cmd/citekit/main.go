// Command citekit is the command of the module above, with workspaces in PostgreSQL and
// an object store besides those in directories:
//
//	citekit --workspace 'pg://USER@HOST/DATABASE?bucket=s3://BUCKET/PREFIX&sources=s3://BUCKET/FILES' list
//
// See "citekit help".
package main

import (
	"context"
	"net/url"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/internal/command"
)

func main() { command.Main(options()) }

func options() command.Options {
	return command.Options{
		Stores:  map[string]func(context.Context, string, bool) (command.Store, error){"pg": open},
		Queue:   openQueue,
		Numbers: numbers,
	}
}

// open opens the workspace of a URL. If that names no folder for parts of objects, it is
// one in the cache of the user.
func open(ctx context.Context, named string, readOnly bool) (command.Store, error) {
	ws, err := cloud.Open(ctx, withCache(named), &cloud.Options{ReadOnly: readOnly})
	if err != nil {
		return nil, err
	}
	return ws, nil
}

// withCache adds the folder of the cache to a URL without one.
func withCache(named string) string {
	u, err := url.Parse(named)
	if err != nil {
		return named // cloud.Open says what is wrong, without repeating it
	}
	query, err := url.ParseQuery(u.RawQuery)
	dir, dirErr := os.UserCacheDir()
	if err != nil || dirErr != nil || query.Has("cache") {
		return named
	}
	query.Set("cache", filepath.Join(dir, "citekit", "objects"))
	u.RawQuery = query.Encode()
	return u.String()
}
