package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// An Origin is where a value comes from. The zero value is the default.
type Origin struct {
	File         string // of settings
	Line, Column int    // in it, from 1; zero for the file as a whole
	Variable     string // of the environment
	Flag         string // without dashes
}

// String returns a place as people write it.
func (o Origin) String() string {
	switch {
	case o.Flag != "":
		return "flag --" + o.Flag
	case o.Variable != "":
		return "environment variable " + o.Variable
	case o.Line > 0:
		return o.File + ":" + strconv.Itoa(o.Line)
	case o.File != "":
		return o.File
	}
	return "default"
}

// A Fault is one thing that is wrong with the settings.
type Fault struct {
	Origin  Origin
	Setting string // such as limits.calls; "" if it is of none
	Message string // what is wrong, and what would be right

	// Verb says that the message begins with one, whose subject is the setting.
	Verb bool
}

// Error implements [error]. A flag names its setting.
func (f Fault) Error() string {
	subject := f.Origin.String()
	if f.Setting != "" && f.Origin.Flag == "" {
		subject += ": " + f.Setting
	}
	if f.Verb {
		return subject + " " + f.Message
	}
	return subject + ": " + f.Message
}

// Faults are all that is wrong, in the order of the file, then those of the
// environment and of flags.
type Faults []Fault

// Error implements [error], with a line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// maxFaults is how many faults are told.
const maxFaults = 100

func (f Faults) sorted() Faults {
	rank := func(o Origin) int {
		switch {
		case o.Flag != "":
			return 3
		case o.Variable != "":
			return 2
		case o.File != "":
			return 1
		}
		return 0
	}
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(rank(a.Origin)-rank(b.Origin), a.Origin.Line-b.Origin.Line, a.Origin.Column-b.Origin.Column)
	})
	if more := len(f) - maxFaults; more > 0 {
		f = append(slices.Clip(f[:maxFaults]), Fault{Origin: f[maxFaults].Origin, Message: fmt.Sprintf("there are %d more faults", more)})
	}
	return f
}

// bad says what is wrong with a value.
func bad(value, wanted string) string {
	return "bad value " + message.Quote(value) + ": " + wanted
}
