package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/mapper/llm"
)

// BenchmarkRepair shows that time is linear in the length of what is broken.
func BenchmarkRepair(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		node := `{'title': "A title", lines: [1, 2,], "children": [{"title": "B",}, {"title": "C"}] /* one */}, `
		for name, answer := range map[string]string{
			"nodes":    "Here:\n```json\n{\"nodes\": [" + strings.Repeat(node, n) + "\n",
			"braces":   strings.Repeat("{", 200) + strings.Repeat("]}{ }", 20*n),
			"brackets": strings.Repeat(`{"a":[`, 100) + strings.Repeat("}}]", 20*n),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(answer)))
				for b.Loop() {
					_, _, _ = llm.Repair([]byte(answer))
				}
			})
		}
	}
}
