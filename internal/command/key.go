package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server"
)

// keysVariable names the file of keys if no flag does.
const keysVariable = "CITEKIT_KEYS"

// A server authenticates callers with a file of keys, and checks them again later.
var (
	_ access.Authenticator = (*access.KeyFile)(nil)
	_ server.Revalidator   = (*access.KeyFile)(nil)
)

// keyActions are the actions of the command.
var keyActions = []string{"new", "list", "revoke"}

// keyFlags are the flags of key. All except --keys belong to "key new".
type keyFlags struct {
	keys            string
	workspaces      []string
	toolsets, tools string
	readOnly        bool
	expires, label  string
	set             *pflag.FlagSet
}

func (k *keyFlags) register(f *pflag.FlagSet) {
	k.set = f
	f.StringVar(&k.keys, "keys", "", "`FILE` of keys (default $"+keysVariable+", else keys.json in your folder for settings)")
	f.StringArrayVar(&k.workspaces, "workspace", nil, "new: `NAME` of a workspace that the key is for; repeatable; clients that name none get the first one that the server has")
	f.StringVar(&k.toolsets, "toolsets", "", "new: only the tools of these `TOOLSETS`: "+strings.Join(mcpadapter.Toolsets(), ", ")+", separated by commas")
	f.StringVar(&k.tools, "tools", "", "new: only these `TOOLS`, by name, separated by commas")
	f.BoolVar(&k.readOnly, "read-only", false, "new: no tool writes maps or evidence files")
	f.StringVar(&k.expires, "expires", "", "new: end the key after this `TIME`, such as 90d or 12h, or on a day, such as 2027-01-31 (default never)")
	f.StringVar(&k.label, "label", "", "new: `TEXT` that says whose the key is, or what it is for")
}

func keyCommand(s *session) *cobra.Command {
	var flags keyFlags
	c := &cobra.Command{
		Use:   "key new|list|revoke [id]",
		Short: "Make, list or revoke the keys of a server's callers",
		Long: `The callers of a server with several workspaces authenticate with keys. A client
sends the token of a key in the header Authorization: Bearer TOKEN.

'citekit key new' makes a key and prints its token, and nothing else, on the
standard output. The token is shown only once: the file of keys has only its
hash. The key is for the workspaces that --workspace names; --toolsets, --tools
and --read-only restrict the tools that it may use. A server of one folder
('citekit serve --dir FOLDER --keys FILE') has one workspace, default: its keys
need --workspace default.
'citekit key list' lists the keys: state, workspaces, tools, when they were last
used, to about a minute, and when they were revoked.
'citekit key revoke ID' ends a key for good. A running server ends its calls and
sessions within a second. The key stays in the list, so that logs can be read.

Several processes may change the file. On Unix it must be private to its owner
(chmod 600).`,
		Example: lines(
			"citekit key new --workspace default",
			"citekit key new --workspace papers --toolsets read --expires 90d --label 'Ada, laptop'",
			"citekit key list",
			"citekit key revoke k7hqz2m4xb",
		),
		Args: between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.key(cmd.Context(), args, &flags)
		},
	}
	flags.register(c.Flags())
	return c
}

func (s *session) key(ctx context.Context, args []string, flags *keyFlags) error {
	action, ids := args[0], args[1:]
	if err := flags.check(action, ids); err != nil {
		return err
	}
	keys, err := openKeys(flags.keys)
	if err != nil {
		return err
	}
	defer keys.Close()
	if action == "new" {
		return s.newKey(ctx, keys, flags)
	}
	if flags.keys == "" {
		if _, err := os.Lstat(keys.Path()); errors.Is(err, fs.ErrNotExist) {
			return noKeys(keys.Path())
		}
	}
	if action == "list" {
		return s.listKeys(ctx, keys)
	}
	return s.revokeKey(ctx, keys, ids[0])
}

// noKeys returns the error for a file of keys that nobody named and that does not
// exist: the server may have one elsewhere.
func noKeys(path string) error {
	return fmt.Errorf("there is no file of keys %s%w; name the one of the server with --keys FILE or %s, or make a key with: citekit key new --workspace NAME",
		path, silent{fs.ErrNotExist}, keysVariable)
}

// check returns an error if the arguments or flags do not fit the action.
func (k *keyFlags) check(action string, ids []string) (err error) {
	switch {
	case !slices.Contains(keyActions, action):
		if near := closest(action, keyActions); near != "" {
			return usagef("key", "unknown action %q; did you mean '%s'?", action, near)
		}
		return usagef("key", "unknown action %q; there are new, list and revoke", action)
	case action == "revoke" && len(ids) == 0:
		return usagef("key", "key revoke needs the id of a key; 'citekit key list' shows them")
	case action != "revoke" && len(ids) > 0:
		return usagef("key", "unexpected argument %q; key %s takes only flags", ids[0], action)
	case action == "new" && len(k.workspaces) == 0:
		return usagef("key", "key new needs --workspace NAME")
	}
	k.set.Visit(func(f *pflag.Flag) {
		if err == nil && action != "new" && k.isOfNew(f.Name) {
			err = usagef("key", "flag %s is only for 'citekit key new'", dashed(f.Name))
		}
		if err == nil && (f.Name == "tools" || f.Name == "toolsets") && commaNames(f.Value.String()) == nil { // nil means all
			err = usagef("key", "flag %s: bad value %q: write at least one name, or leave it out", dashed(f.Name), f.Value)
		}
	})
	return err
}

// isOfNew reports whether a flag is only for "key new".
func (k *keyFlags) isOfNew(name string) bool {
	f := k.set.Lookup(name)
	return f != nil && strings.HasPrefix(f.Usage, "new: ")
}

// openKeys opens the file of keys: the path of the flag, else that of the
// environment, else the default.
func openKeys(path string) (*access.KeyFile, error) {
	if path == "" {
		path = os.Getenv(keysVariable)
	}
	if path == "" {
		dir := settingsDir()
		if dir == "" {
			return nil, fmt.Errorf("the folder for settings of this user is not known, as HOME is not set; name the file of keys with --keys or %s", keysVariable)
		}
		path = filepath.Join(dir, "keys.json")
	}
	return access.OpenKeyFile(path, &access.KeyFileOptions{Check: checkKey})
}

// checkKey returns an error if a name in a key is invalid.
func checkKey(k access.Key) error {
	for _, name := range k.Workspaces {
		if err := server.CheckName(name); err != nil {
			return err
		}
	}
	return corpus.Toolsets().Check(k.Toolsets, k.Tools)
}

func (s *session) newKey(ctx context.Context, keys *access.KeyFile, flags *keyFlags) error {
	expires, err := parseExpiry(flags.expires, time.Now())
	if err != nil {
		return usagef("key", "flag --expires: bad value %q: %v", flags.expires, err)
	}
	asked := access.Key{
		Label: flags.label, Workspaces: flags.workspaces, Toolsets: commaNames(flags.toolsets), Tools: commaNames(flags.tools),
		ReadOnly: flags.readOnly, Expires: expires,
	}
	if err := checkKey(asked); err != nil {
		return usagef("key", "%v", err)
	}
	key, token, err := keys.New(ctx, asked)
	if err != nil {
		return err
	}
	if s.json {
		err = s.printJSON(struct {
			Key   access.Key `json:"key"`
			Token string     `json:"token"`
		}{key, token})
	} else {
		s.printf("%s\n", token)
		err = s.out.Flush()
	}
	if err != nil {
		return fmt.Errorf("the token could not be printed; revoke the key with 'citekit key revoke %s': %w", key.ID, err)
	}
	until := "until it is revoked"
	if !key.Expires.IsZero() {
		until = "until " + key.Expires.Format(time.RFC3339)
	}
	s.warn(fmt.Sprintf("made key %s for %s, %s, in %s", key.ID, strings.Join(key.Workspaces, ", "), until, keys.Path()))
	s.warn("its token is shown only once; keep it like a password")
	return nil
}

func (s *session) listKeys(ctx context.Context, keys *access.KeyFile) error {
	list, err := keys.List(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(map[string][]access.Key{"keys": list})
	}
	if len(list) == 0 {
		s.warn("there are no keys in " + keys.Path())
		return nil
	}
	rows := [][]string{{"ID", "STATE", "LABEL", "WORKSPACES", "TOOLS", "CREATED", "EXPIRES", "LAST USED", "REVOKED"}}
	for _, k := range list {
		rows = append(rows, []string{
			k.ID, string(k.State(time.Now())), k.Label, strings.Join(k.Workspaces, ","), describeTools(k),
			day(k.Created), day(k.Expires), day(k.LastUsed), day(k.Revoked),
		})
	}
	const label, none = 2, -1
	s.printTable(rows, label, none)
	return nil
}

// describeTools returns the tools that a key may use.
func describeTools(k access.Key) string {
	tools := "all"
	switch {
	case k.Tools != nil:
		tools = strings.Join(k.Tools, ",")
	case k.Toolsets != nil:
		tools = strings.Join(k.Toolsets, ",")
	}
	if k.ReadOnly {
		tools += " (read-only)"
	}
	return tools
}

// day returns the date of t in UTC, or "-" for the zero time.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func (s *session) revokeKey(ctx context.Context, keys *access.KeyFile, id string) error {
	asked := time.Now().Truncate(time.Second)
	key, err := keys.Revoke(ctx, id)
	if err != nil {
		return revokeError(err)
	}
	if s.json {
		return s.printJSON(map[string]access.Key{"revoked": key})
	}
	if !key.Revoked.IsZero() && key.Revoked.Before(asked) {
		s.printf("%s was revoked before, at %s\n", term.Line(key.ID), key.Revoked.Format(time.RFC3339))
		return nil
	}
	s.printf("revoked %s\n", term.Line(strings.TrimRight(key.ID+"  "+key.Label, " ")))
	return nil
}

// revokeError adds what to do about a key that a full disk keeps from being revoked.
func revokeError(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w; the key is still valid: free space and revoke it again, or stop the server until then", err)
	}
	return err
}

// parseExpiry parses the end of a key: a number of days or weeks, a Go duration, a
// date, or a time. Empty means never.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	const day, longest = 24 * time.Hour, 100 * 365
	expires, ok := time.Time{}, false
	if number, found := strings.CutSuffix(text, "d"); found {
		if n, err := strconv.Atoi(number); err == nil && n <= longest {
			expires, ok = now.Add(time.Duration(n)*day), true
		}
	} else if d, err := time.ParseDuration(text); err == nil && d <= longest*day {
		expires, ok = now.Add(d), true
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			expires, ok = t, true
		}
	}
	switch {
	case !ok:
		return time.Time{}, fmt.Errorf("write a time such as 90d or 12h, of up to 100 years, or a day such as 2027-01-31")
	case !expires.After(now):
		return time.Time{}, fmt.Errorf("that is not in the future")
	}
	return expires, nil
}

// offerKeys offers the actions, and the ids of keys that can be revoked.
func (c *completer) offerKeys(ctx context.Context, positional []string, typed string) {
	switch {
	case len(positional) == 0:
		c.offer(typed, keyActions...)
	case positional[0] == "revoke":
		keys, err := openKeys(c.command.Flag("keys").Value.String())
		if err != nil {
			return
		}
		defer keys.Close()
		list, _ := keys.List(ctx)
		for _, k := range list {
			if k.Revoked.IsZero() {
				c.offer(typed, k.ID)
			}
		}
	}
}
