package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// A flagSet defines flags with package flag, but parses them anywhere: before,
// between and after the other arguments.
type flagSet struct {
	*flag.FlagSet
	command string            // for messages; "" for the flags before the command
	short   map[string]string // name of a flag by its short name
}

func newFlagSet(command string) *flagSet {
	f := &flagSet{flag.NewFlagSet(command, flag.ContinueOnError), command, make(map[string]string)}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// An extraText says which text to read that is usually not.
type extraText struct {
	scans    bool // on pages without text, by tesseract
	comments bool // in Word files
}

// extra defines the flags for text that is usually not read.
func (f *flagSet) extra(wanted *extraText) {
	const shared = "; give it to all commands that search or to none, as they share an index"
	f.BoolVar(&wanted.scans, "ocr", false, "read scanned pages with tesseract, some seconds each"+shared)
	f.BoolVar(&wanted.comments, "comments", false, "read the comments in DOCX and ODT files"+shared)
}

// A count is the value of a flag whose number has a least value: 0 would stand for the
// default in the options that it is copied to.
type count struct {
	n     *int
	least int
}

func (c count) String() string {
	if c.n == nil {
		return ""
	}
	return strconv.Itoa(*c.n)
}

func (c count) Set(value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return errors.New("write a whole number")
	case n < c.least:
		return fmt.Errorf("write %d or more", c.least)
	}
	*c.n = n
	return nil
}

// countVar defines a flag for a number of at least some size.
func (f *flagSet) countVar(n *int, name string, value, least int, usage string) {
	*n = value
	f.Var(count{n, least}, name, usage)
}

// alias gives the flag name a short name.
func (f *flagSet) alias(short, name string) {
	f.short[name] = short
	f.also(name, short)
}

// also gives the flag name further names, which help does not show.
func (f *flagSet) also(name string, others ...string) {
	for _, other := range others {
		f.Var(f.Lookup(name).Value, other, "")
	}
}

// parse sets the flags in args and returns the other arguments. Arguments after "--"
// are not flags.
func (f *flagSet) parse(args []string) (positional []string, err error) {
	for len(args) > 0 {
		var n int
		if args, n, err = f.parseFlags(args); err != nil {
			return nil, err
		}
		positional = append(positional, args[:n]...)
		args = args[n:]
	}
	return positional, nil
}

// parseUpToCommand sets the flags before the first argument that is not a flag, and
// returns the arguments from there on.
func (f *flagSet) parseUpToCommand(args []string) ([]string, error) {
	rest, _, err := f.parseFlags(args)
	return rest, err
}

// parseFlags sets the flags at the beginning of args. It returns the rest, and how
// many arguments of the rest are known not to be flags: one, or all after "--".
func (f *flagSet) parseFlags(args []string) (rest []string, positional int, err error) {
	for len(args) > 0 {
		arg := args[0]
		switch {
		case arg == "--":
			return args[1:], len(args) - 1, nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			return args, 1, nil
		}
		if args, err = f.parseFlag(args); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, nil
}

// parseFlag sets the flag at the beginning of args and returns the rest.
func (f *flagSet) parseFlag(args []string) (rest []string, err error) {
	arg, rest := args[0], args[1:]
	name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	defined := f.Lookup(name)
	if short := f.shortNumber(arg); short != nil && defined == nil {
		name, value, hasValue, defined = arg[1:2], arg[2:], true, short
	}
	switch {
	case defined == nil:
		return nil, f.unknown(arg, name)
	case !hasValue && isBool(defined):
		value = "true"
	case !hasValue && len(rest) == 0:
		return nil, usagef(f.command, "flag %s needs a value", dashed(name))
	case !hasValue:
		value, rest = rest[0], rest[1:]
	}
	// An empty value comes from a variable that is not set. It would mean "as if the
	// flag were not given": without keys, with all tools, for ever.
	if value == "" {
		return nil, usagef(f.command, "flag %s has an empty value; write one, or leave out the flag", dashed(name))
	}
	if err := f.Set(name, value); err != nil {
		return nil, usagef(f.command, "flag %s: bad value %q: %s", dashed(name), value, wanted(defined, err))
	}
	return rest, nil
}

// shortNumber returns the flag of an argument such as -k2: one letter with a whole
// number. It returns nil for any other argument.
func (f *flagSet) shortNumber(arg string) *flag.Flag {
	if len(arg) < 3 || strings.Trim(arg[2:], "0123456789") != "" {
		return nil
	}
	defined := f.Lookup(arg[1:2])
	if defined == nil {
		return nil
	}
	if _, ok := defined.Value.(count); ok {
		return defined
	}
	if getter, ok := defined.Value.(flag.Getter); ok {
		if _, ok := getter.Get().(int); ok {
			return defined
		}
	}
	return nil
}

// wanted says what values a flag takes. The errors of package flag only say that a
// value cannot be parsed.
func wanted(f *flag.Flag, err error) string {
	getter, ok := f.Value.(flag.Getter)
	if !ok {
		return err.Error()
	}
	switch getter.Get().(type) {
	case bool:
		return "write true or false"
	case int, int64, uint, uint64:
		return "write a whole number"
	case float64:
		return "write a number"
	case time.Duration:
		return "write a time such as 30s or 5m"
	}
	return err.Error()
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func (f *flagSet) unknown(arg, name string) error {
	var names []string
	f.VisitAll(func(known *flag.Flag) { names = append(names, known.Name) })
	if _, err := os.Lstat(arg); err == nil {
		return usagef(f.command, "unknown flag %q; for the file of that name write ./%s", arg, arg)
	}
	near := closest(name, names)
	switch {
	case near != "" && (strings.HasPrefix(arg, "--") || !f.takesArguments()):
		return usagef(f.command, "unknown flag %q; did you mean %s?", arg, dashed(near))
	case f.command == "":
		return usagef("", "unknown flag %q before the command; flags of a command come after it", arg)
	case near != "":
		return usagef(f.command, "unknown flag %q; did you mean %s? If it is not a flag, write -- before it", arg, dashed(near))
	case f.takesArguments():
		return usagef(f.command, "unknown flag %q; if it is not a flag, write -- before it", arg)
	}
	return usagef(f.command, "unknown flag %q", arg)
}

// takesArguments reports whether the command of the flags takes other arguments too.
func (f *flagSet) takesArguments() bool {
	c, err := findCommand(f.command)
	return err == nil && c.maxArgs != 0
}

// dashed returns the name of a flag with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// commaNames splits a comma-separated list; it returns nil for an empty one.
func commaNames(list string) []string {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 0 {
		return nil
	}
	return names
}
