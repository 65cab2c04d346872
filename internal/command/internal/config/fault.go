package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// An Origin is the place that a value comes from. The zero value means the
// default.
type Origin struct {
	File         string // of settings
	Line, Column int    // in the file, from 1; zero for the file as a whole
	Variable     string // of the environment
	Flag         string // without dashes
}

// String returns the place in the form that people write.
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

// compare orders places by the precedence of their values, and within a file by
// position.
func (o Origin) compare(other Origin) int {
	return cmp.Or(o.rank()-other.rank(), o.Line-other.Line, o.Column-other.Column, strings.Compare(o.Variable+o.Flag, other.Variable+other.Flag))
}

func (o Origin) before(other Origin) bool { return o.compare(other) < 0 }

func (o Origin) rank() int {
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

// A Fault is one mistake in the settings.
type Fault struct {
	Origin  Origin
	Setting string // such as limits.calls; "" if it is not about one setting
	Message string // what is wrong, and what is allowed

	// Verb is true if the message begins with a verb whose subject is the
	// setting.
	Verb bool
}

// Error implements [error]. A flag is followed by the name of its setting.
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

// Faults are all mistakes: those of the file in its order, then those of the
// environment, then those of flags.
type Faults []Fault

// Error implements [error], with a line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// maxFaults is how many faults are shown.
const maxFaults = 100

func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int { return a.Origin.compare(b.Origin) })
	if more := len(f) - maxFaults; more > 0 {
		f = append(slices.Clip(f[:maxFaults]), Fault{Origin: f[maxFaults].Origin, Message: fmt.Sprintf("there are %d more faults", more)})
	}
	return f
}

// bad returns the message for an invalid value.
func bad(value, wanted string) string {
	return "bad value " + message.Quote(value) + ": " + wanted
}
