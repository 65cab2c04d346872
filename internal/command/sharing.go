package command

import (
	"cmp"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit/workspace"
)

// sharingFlags say which Unix users may use what is written, as several may share a
// folder. Environment variables are the defaults.
type sharingFlags struct{ group, mode, keyFile string }

func (f *sharingFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.group, "group", "", "Unix `GROUP` of files that are written (default $CITEKIT_GROUP)")
	flags.StringVar(&f.mode, "file-mode", "", "`MODE` of files that are written, such as 0660 for a group that writes (default $CITEKIT_FILE_MODE, or 0600)")
	flags.StringVar(&f.keyFile, "key-file", "", "`FILE` of the key of evidence, for people who share a folder (default $CITEKIT_KEY_FILE, or one for each user)")
}

// apply sets the options of a workspace.
func (f *sharingFlags) apply(o *workspace.Options) error {
	o.Group = cmp.Or(f.group, os.Getenv("CITEKIT_GROUP"))
	o.KeyFile = cmp.Or(f.keyFile, os.Getenv("CITEKIT_KEY_FILE"))
	name, mode := "--file-mode", f.mode
	if mode == "" {
		name, mode = "CITEKIT_FILE_MODE", os.Getenv("CITEKIT_FILE_MODE")
	}
	if mode == "" {
		return nil
	}
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || bits > 0o777 || bits == 0 {
		return usagef("", "%s: bad value %q: write the octal mode of files, such as 0640 or 0660", name, mode)
	}
	o.FileMode = fs.FileMode(bits)
	return nil
}
