package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Number is one that is counted elsewhere, such as by a store. One whose name ends
// with "_total" is a counter, any other a gauge.
type Number struct {
	Name, Help string
	Labels     map[string]string
	Value      float64 // in the unit that Name ends with
}

// numbersTime is how long the numbers may take that are counted elsewhere.
const numbersTime = 10 * time.Second

// writeNumbers writes the numbers that are counted elsewhere, as the text format of
// Prometheus, version 0.0.4, has it: those of a name together, after what it is.
func (m *metrics) writeNumbers(ctx context.Context, to *bytes.Buffer) {
	ctx, cancel := context.WithTimeout(ctx, numbersTime)
	defer cancel()
	var all []Number
	for _, numbers := range m.numbers {
		all = append(all, numbers(ctx)...)
	}
	slices.SortStableFunc(all, func(a, b Number) int { return cmp.Compare(a.Name, b.Name) })
	for i, n := range all {
		if i == 0 || all[i-1].Name != n.Name {
			kind := "gauge"
			if strings.HasSuffix(n.Name, "_total") {
				kind = "counter"
			}
			fmt.Fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", n.Name, n.Help, n.Name, kind)
		}
		fmt.Fprintf(to, "%s %g\n", named(n.Name, n.Labels), n.Value)
	}
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// named returns the name of a metric with its labels, in the order of their names.
func named(name string, labels map[string]string) string {
	if len(labels) == 0 {
		return name
	}
	pairs := make([]string, 0, len(labels))
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, label+`="`+escaped.Replace(labels[label])+`"`)
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}
