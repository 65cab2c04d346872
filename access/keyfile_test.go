package access_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/access"
)

func openAt(t *testing.T, path string, opts *access.KeyFileOptions) *access.KeyFile {
	t.Helper()
	f, err := access.OpenKeyFile(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "settings", "keys.json") }

func newKey(t *testing.T, f *access.KeyFile, key access.Key) (access.Key, string) {
	t.Helper()
	if key.Workspaces == nil {
		key.Workspaces = []string{"papers"}
	}
	made, token, err := f.New(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return made, token
}

func mustRefuse(t *testing.T, f *access.KeyFile, token string) {
	t.Helper()
	grant, err := f.Authenticate(t.Context(), token)
	if grant != nil || !errors.Is(err, access.ErrRefused) {
		t.Fatalf("grant %v, error %v; want a refusal", grant, err)
	}
	for _, part := range regexp.MustCompile(`[0-9A-Za-z]{8,}`).FindAllString(token, -1) {
		if strings.Contains(err.Error(), part) {
			t.Errorf("the error %q has a part of the token", err)
		}
	}
}

func TestKey(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	expires := time.Now().Add(time.Hour)
	key, token := newKey(t, f, access.Key{
		ID: "chosen", Label: "Ada's laptop", Workspaces: []string{"papers", "notes"}, Toolsets: []string{"read"},
		Tools: []string{"getNode"}, ReadOnly: true, Expires: expires,
	})
	if !regexp.MustCompile(`^citekit_[a-z2-7]{10}_[0-9A-Za-z]{49}$`).MatchString(token) || !strings.Contains(token, "_"+key.ID+"_") {
		t.Errorf("id %q, token of %d letters", key.ID, len(token))
	}
	grant, err := f.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	want := &access.Grant{
		ID: key.ID, Workspaces: []string{"papers", "notes"}, Toolsets: []string{"read"}, Tools: []string{"getNode"},
		ReadOnly: true, Expires: expires.UTC().Truncate(time.Second),
	}
	if diff := cmp.Diff(want, grant); diff != "" {
		t.Error(diff)
	}
	again := openAt(t, f.Path(), nil)
	if _, err := again.Authenticate(t.Context(), token); err != nil || !again.Valid(key.ID) {
		t.Errorf("read again: %v", err)
	}
	data, err := os.ReadFile(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	if secret := token[len("citekit_")+11:]; strings.Contains(string(data), secret) || strings.Contains(string(data), secret[:20]) {
		t.Error("the file has the secret")
	}
}

func TestNilMeansAll(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	_, token := newKey(t, f, access.Key{})
	grant, err := openAt(t, f.Path(), nil).Authenticate(t.Context(), token)
	if err != nil || grant.Toolsets != nil || grant.Tools != nil || !grant.Expires.IsZero() {
		t.Errorf("%+v, %v", grant, err)
	}
}

// A refused token in the form of a key names the key, also one that is not in the file.
func TestRefusedNamesTheKey(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	revoked, token := newKey(t, f, access.Key{})
	if _, err := f.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	other, elsewhere := newKey(t, openAt(t, newPath(t), nil), access.Key{})
	for token, want := range map[string]string{token: revoked.ID, elsewhere: other.ID, "nonsense": ""} {
		_, err := f.Authenticate(t.Context(), token)
		var refused *access.RefusedError
		if named := errors.As(err, &refused); named != (want != "") || named && (refused.ID != want || strings.Contains(err.Error(), want)) {
			t.Errorf("%v; want one that names %q", err, want)
		}
		mustRefuse(t, f, token)
	}
}

func TestRefused(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	_, token := newKey(t, f, access.Key{})
	_, other := newKey(t, openAt(t, newPath(t), nil), access.Key{})
	for name, wrong := range map[string]string{
		"empty":              "",
		"truncated":          token[:len(token)-1],
		"longer":             token + "a",
		"of another file":    other,
		"another's id":       other[:19] + token[19:],
		"one letter changed": token[:30] + string(token[30]^1) + token[31:],
		"upper case":         strings.ToUpper(token),
		"huge":               strings.Repeat("citekit_", 10_000),
	} {
		t.Run(name, func(t *testing.T) { mustRefuse(t, f, wrong) })
	}
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}
}

func TestExpired(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	key, token := newKey(t, f, access.Key{Expires: time.Now().Add(time.Hour)})
	f.SetNow(func() time.Time { return time.Now().Add(2 * time.Hour) })
	mustRefuse(t, f, token)
	if f.Valid(key.ID) {
		t.Error("an expired key is valid")
	}
}

func TestRevoked(t *testing.T) {
	path := newPath(t)
	operator, server := openAt(t, path, nil), openAt(t, path, nil)
	key, token := newKey(t, operator, access.Key{Label: "one"})
	_, kept := newKey(t, operator, access.Key{Label: "two"})
	if _, err := server.Authenticate(t.Context(), token); err != nil {
		t.Errorf("the next call with a new key of another process: %v", err)
	}
	revoked, err := operator.Revoke(t.Context(), key.ID)
	if err != nil || revoked.Revoked.IsZero() || revoked.Label != "one" {
		t.Fatalf("%+v, %v", revoked, err)
	}
	if server.Valid(key.ID) {
		t.Error("the key is valid after another process revoked it")
	}
	mustRefuse(t, server, token)
	mustRefuse(t, operator, token)
	if _, err := server.Authenticate(t.Context(), kept); err != nil {
		t.Error(err)
	}
	again, err := operator.Revoke(t.Context(), key.ID)
	if err != nil || !again.Revoked.Equal(revoked.Revoked) {
		t.Errorf("revoked again: %+v, %v", again, err)
	}
	if _, err := operator.Revoke(t.Context(), "aaaaaaaaaa"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown id: %v", err)
	}
	if _, err := operator.Revoke(t.Context(), token); err == nil || strings.Contains(err.Error(), token[20:]) || !strings.Contains(err.Error(), key.ID) {
		t.Errorf("a token in place of an id: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Count(string(data), "sha256") != 1 {
		t.Errorf("the hash of the revoked key is kept: %s", data)
	}
}

func TestMissing(t *testing.T) {
	path := newPath(t)
	f := openAt(t, path, nil)
	for _, err := range []error{f.Check(t.Context()), second(f.Authenticate(t.Context(), "x")), second(f.List(t.Context())), second(f.Revoke(t.Context(), "aaaaaaaaaa"))} {
		if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), "citekit key new") {
			t.Errorf("error %v", err)
		}
	}
	if f.Valid("aaaaaaaaaa") {
		t.Error("a key is valid without a file")
	}
	newKey(t, f, access.Key{})
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestDamagedLater(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	key, token := newKey(t, f, access.Key{})
	good, err := os.ReadFile(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() error{
		"malformed": func() error { return os.WriteFile(f.Path(), []byte("{\n  broken"), 0o600) },
		"missing":   func() error { return os.Remove(f.Path()) },
		"directory": func() error { return errors.Join(os.Remove(f.Path()), os.Mkdir(f.Path(), 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if err := f.Check(t.Context()); err == nil || !strings.Contains(err.Error(), f.Path()) {
				t.Errorf("Check: %v", err)
			} else if advice := strings.Contains(err.Error(), "restore it from a backup, and do not restart"); advice != (name == "missing") {
				t.Errorf("what to do about a file that is %s: %v", name, err)
			}
			if _, err := f.Authenticate(t.Context(), token); err != nil || !f.Valid(key.ID) {
				t.Errorf("the key last read does not count: %v", err)
			}
			if _, _, err := f.New(t.Context(), access.Key{Workspaces: []string{"a"}}); (err == nil) != (name == "missing") {
				t.Errorf("a key in a file that is %s: %v", name, err)
			}
			os.RemoveAll(f.Path())
			if err := os.WriteFile(f.Path(), good, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := f.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestListAndLastUse(t *testing.T) {
	path := newPath(t)
	f := openAt(t, path, nil)
	first, token := newKey(t, f, access.Key{Label: "first"})
	newKey(t, f, access.Key{Label: "second"})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	keys, err := openAt(t, path, nil).List(t.Context())
	if err != nil || len(keys) != 2 {
		t.Fatalf("%v, %v", keys, err)
	}
	for _, k := range keys {
		if used := !k.LastUsed.IsZero(); used != (k.ID == first.ID) {
			t.Errorf("%+v", k)
		}
	}
	another := openAt(t, path, nil) // one that has not seen the use keeps it
	another.FlushUses()
	keys, err = openAt(t, path, nil).List(t.Context())
	if i := slices.IndexFunc(keys, func(k access.Key) bool { return k.ID == first.ID }); err != nil || keys[i].LastUsed.IsZero() {
		t.Errorf("the last use is forgotten: %+v, %v", keys, err)
	}
}

// TestLastUseUnwritable checks that calls go on where no last use can be kept.
func TestLastUseUnwritable(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	_, token := newKey(t, f, access.Key{})
	if err := os.Mkdir(f.Path()+".used", 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Authenticate(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		f.FlushUses()
	}
	if keys, err := f.List(t.Context()); err != nil || keys[0].LastUsed.IsZero() {
		t.Errorf("%v, %v", keys, err)
	}
}

func TestWrongKeys(t *testing.T) {
	f := openAt(t, newPath(t), &access.KeyFileOptions{Check: func(k access.Key) error {
		if slices.Contains(k.Tools, "nonsense") {
			return errors.New("tool nonsense: there is none")
		}
		return nil
	}})
	one := []string{"a"}
	for want, key := range map[string]access.Key{
		"workspaces is missing": {},
		"workspaces[1] is \"\"": {Workspaces: []string{"a", ""}},
		"given twice":           {Workspaces: []string{"a", "a"}},
		"workspaces[0]":         {Workspaces: []string{"../a"}},
		"toolsets[0]":           {Workspaces: one, Toolsets: []string{"a\nb"}},
		"tools is empty":        {Workspaces: one, Tools: []string{}},
		"label":                 {Workspaces: one, Label: "a\x1b[31m"},
		"up to 200 bytes":       {Workspaces: one, Label: strings.Repeat("a", 201)},
		"not in the future":     {Workspaces: one, Expires: time.Now().Add(-time.Second)},
		"tool nonsense":         {Workspaces: one, Tools: []string{"nonsense"}},
		"has 257 names; a key":  {Workspaces: slices.Repeat(one, 257)},
	} {
		if _, token, err := f.New(t.Context(), key); err == nil || token != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := os.Stat(f.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was made")
	}
}

// TestWriters checks that no key is lost where many write at once.
func TestWriters(t *testing.T) {
	path := newPath(t)
	var writing sync.WaitGroup
	var mu sync.Mutex
	var tokens []string
	for range 8 {
		writing.Go(func() {
			f, err := access.OpenKeyFile(path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for range 5 {
				_, token, err := f.New(context.Background(), access.Key{Workspaces: []string{"a"}})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				tokens = append(tokens, token)
				mu.Unlock()
			}
		})
	}
	writing.Wait()
	f := openAt(t, path, nil)
	for _, token := range tokens {
		if _, err := f.Authenticate(t.Context(), token); err != nil {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s was left", e.Name())
		}
	}
}

func TestWaitsForLock(t *testing.T) {
	f := openAt(t, newPath(t), nil)
	newKey(t, f, access.Key{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release := lockFile(t, f.Path()+".lock")
	if _, _, err := f.New(ctx, access.Key{Workspaces: []string{"a"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("while another process writes: %v", err)
	}
	release()
	newKey(t, f, access.Key{})
}

func BenchmarkAuthenticate(b *testing.B) {
	f, err := access.OpenKeyFile(filepath.Join(b.TempDir(), "keys.json"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	_, token, err := f.New(b.Context(), access.Key{Workspaces: []string{"a"}})
	if err != nil {
		b.Fatal(err)
	}
	unknown := "citekit_aaaaaaaaaa" + token[18:]
	for name, token := range map[string]string{"known": token, "malformed": unknown} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = f.Authenticate(b.Context(), token)
			}
		})
	}
}
