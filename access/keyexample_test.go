package access_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/access"
)

func Example() {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	keys, err := access.OpenKeyFile(filepath.Join(dir, "keys.json"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer keys.Close()

	ctx := context.Background()
	key, token, err := keys.New(ctx, access.Key{Label: "Ada", Workspaces: []string{"papers"}, Toolsets: []string{"read"}})
	if err != nil {
		log.Fatal(err)
	}
	grant, err := keys.Authenticate(ctx, token)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(grant.Workspaces, grant.Toolsets, grant.ID == key.ID)

	if _, err := keys.Revoke(ctx, key.ID); err != nil {
		log.Fatal(err)
	}
	_, err = keys.Authenticate(ctx, token)
	fmt.Println(errors.Is(err, access.ErrRefused), keys.Valid(key.ID))
	// Output:
	// [papers] [read] true
	// true false
}
