package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An extraText says which text to read that is usually not.
type extraText struct {
	scans    bool   // on pages without text, by tesseract
	program  string // that recognises text instead of tesseract; "" for none
	comments bool   // in Word files
}

// register defines the flags for text that is usually not read.
func (x *extraText) register(f *pflag.FlagSet) {
	const shared = "; give it to all commands that search or to none, as they share an index"
	f.BoolVar(&x.scans, "ocr", false, "read scanned pages with tesseract, some seconds each"+shared)
	x.registerProgram(f)
	f.BoolVar(&x.comments, "comments", false, "read the comments in DOCX and ODT files"+shared)
}

// registerProgram defines the flag for the program that recognises text.
func (x *extraText) registerProgram(f *pflag.FlagSet) {
	f.StringVar(&x.program, "ocr-program", "", "recognise text with `PROGRAM`, not tesseract: it is given the path of a PNG, and writes hOCR, ALTO or tesseract's TSV")
}

// A count is the value of a flag whose number has a least value: 0 would stand for the
// default in the options that it is copied to.
type count struct {
	n     *int
	least int
}

func (c count) Type() string { return "int" }

func (c count) String() string { return strconv.Itoa(*c.n) }

func (c count) Set(value string) error {
	n, err := strconv.Atoi(value)
	if err == nil && n < c.least {
		return fmt.Errorf("write %d or more", c.least)
	}
	if err == nil {
		*c.n = n
	}
	return err
}

// countVar defines a flag for a number of at least some size.
func countVar(f *pflag.FlagSet, n *int, name, short string, value, least int, usage string) {
	*n = value
	f.VarP(count{n, least}, name, short, usage)
}

// also gives the flag name further names, which help does not show.
func also(f *pflag.FlagSet, name, other, short string) {
	f.VarP(f.Lookup(name).Value, other, short, "")
	f.Lookup(other).Hidden = true
}

// checkArgs returns the arguments in the form that package pflag parses, and adds their
// command to the program. Long flags may also have one dash, and short ones two. It
// returns an error for an unknown command and an unknown flag, and for a flag without a
// value. What follows a request for help does not count.
func (s *session) checkArgs(root *cobra.Command, args []string) ([]string, error) {
	c, args := root, slices.Clone(args)
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" && c == root:
			return s.checkArgs(root, slices.Delete(args, i, i+1))
		case arg == "--":
			return args, nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			if c == root {
				var err error
				if c, err = s.findCommand(root, arg); err != nil {
					return nil, err
				}
			}
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := flagNamed(c, name)
		if short := flagNamed(c, arg[1:2]); f == nil && short != nil && isNumber(short, arg[2:]) {
			name, value, hasValue, f = arg[1:2], arg[2:], true, short // such as -k2
		}
		switch {
		case f == nil:
			return nil, unknownFlag(c, arg, name)
		case f.Name == "version" && (!hasValue || value == "true"):
			return s.checkArgs(root, []string{"version", "--json=" + strconv.FormatBool(wantsJSON(args))})
		case f.Name == "help" && !hasValue && c != root:
			return args[:i+1], nil
		case hasValue:
			args[i] = dashed(name) + "=" + value
		case f.NoOptDefVal != "":
			args[i] = dashed(name)
			continue
		case i+1 == len(args):
			return nil, usagef(nameOf(c), "flag %s needs a value", dashed(name))
		default:
			args[i] = dashed(name)
			i++
			value = args[i]
		}
		// An empty value comes from a variable that is not set. It would mean "as if the
		// flag were not given": without keys, with all tools, for ever.
		if value == "" {
			return nil, usagef(nameOf(c), "flag %s has an empty value; write one, or leave out the flag", dashed(name))
		}
	}
	return args, nil
}

// flagNamed returns the flag of a command with a long or short name, or nil.
func flagNamed(c *cobra.Command, name string) *pflag.Flag {
	if len(name) == 1 {
		if f := c.Flags().ShorthandLookup(name); f != nil {
			return f
		}
		return c.Root().PersistentFlags().ShorthandLookup(name)
	}
	return c.Flag(name)
}

// isNumber reports whether the flag takes a whole number, and digits are one.
func isNumber(f *pflag.Flag, digits string) bool {
	return f.Value.Type() == "int" && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// nameOf returns the name of a command for messages: "" for the flags before it.
func nameOf(c *cobra.Command) string {
	if c.HasParent() {
		return c.Name()
	}
	return ""
}

// badValue returns the error for a value that a flag does not take. The errors of
// package pflag only say that a value cannot be parsed.
func badValue(c *cobra.Command, bad *pflag.InvalidValueError) error {
	wanted := errors.Unwrap(bad).Error()
	var number *strconv.NumError
	switch bad.GetFlag().Value.Type() {
	case "bool":
		wanted = "write true or false"
	case "int":
		if errors.As(bad, &number) {
			wanted = "write a whole number"
		}
	case "duration":
		wanted = "write a time such as 30s or 5m"
	}
	return usagef(nameOf(c), "flag %s: bad value %q: %s", dashed(bad.GetFlag().Name), bad.GetValue(), wanted)
}

func unknownFlag(c *cobra.Command, arg, name string) error {
	var names []string
	for _, flags := range []*pflag.FlagSet{c.Flags(), c.Root().PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			names = append(names, f.Name)
			if f.Shorthand != "" {
				names = append(names, f.Shorthand)
			}
		})
	}
	if _, err := os.Lstat(arg); err == nil {
		return usagef(nameOf(c), "unknown flag %q; for the file of that name write ./%s", arg, arg)
	}
	near := closest(name, names)
	takesArguments := c.HasParent() && arguments(c) != ""
	switch {
	case near != "" && (strings.HasPrefix(arg, "--") || !takesArguments):
		return usagef(nameOf(c), "unknown flag %q; did you mean %s?", arg, dashed(near))
	case !c.HasParent():
		return usagef("", "unknown flag %q before the command; flags of a command come after it", arg)
	case near != "":
		return usagef(c.Name(), "unknown flag %q; did you mean %s? If it is not a flag, write -- before it", arg, dashed(near))
	case takesArguments:
		return usagef(c.Name(), "unknown flag %q; if it is not a flag, write -- before it", arg)
	}
	return usagef(c.Name(), "unknown flag %q", arg)
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
