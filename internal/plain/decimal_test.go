package plain_test

import (
	"math"
	"testing"

	"github.com/citekit/citekit/internal/plain"
)

func TestSeconds(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "12": 12, "12.5": 12.5, "1:02": 62, "01:02:03.25": 3723.25, "90:00": 5400,
	} {
		if got, ok := plain.Seconds(text); !ok || got != want {
			t.Errorf("Seconds(%q) = %v, %v; want %v", text, got, ok, want)
		}
	}
	for text, hint := range map[string]string{
		"":        "write seconds, mm:ss or hh:mm:ss, with decimals if need be",
		".5":      "write 0.5",
		"5.":      "write 5",
		"1:75":    "seconds after a colon run to 59; write seconds, mm:ss or hh:mm:ss",
		"1:75:00": "minutes after a colon run to 59; write seconds, mm:ss or hh:mm:ss",
		"1:2":     "write seconds, mm:ss or hh:mm:ss, with decimals if need be",
		"1:2:3:4": "write seconds, mm:ss or hh:mm:ss, with decimals if need be",
		"-1":      "write seconds, mm:ss or hh:mm:ss, with decimals if need be",
		"1e3":     "write seconds, mm:ss or hh:mm:ss, with decimals if need be",
	} {
		if got, ok := plain.Seconds(text); ok {
			t.Errorf("Seconds(%q) = %v", text, got)
		}
		if got := plain.SecondsHint(text); got != hint {
			t.Errorf("SecondsHint(%q) = %q, want %q", text, got, hint)
		}
	}
}

func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"0", "1.5", ".5", "1:02:03", "99999999999999999999", "1e400", "0.1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, ok := plain.ParseDecimal(text); ok {
			if again, ok := plain.ParseDecimal(plain.FormatDecimal(v)); !ok || again != v {
				t.Errorf("Parse(%q) = %v; its form %q gives %v", text, v, plain.FormatDecimal(v), again)
			}
		}
		if v, ok := plain.Seconds(text); ok && (v < 0 || math.IsInf(v, 0) || math.IsNaN(v)) {
			t.Errorf("Seconds(%q) = %v", text, v)
		}
		if n := plain.WholeNumber(text); n >= 0 && !plain.IsDigits(text) {
			t.Errorf("Whole(%q) = %d", text, n)
		}
		if full := plain.CompletedDecimal(text); full != "" {
			if _, ok := plain.ParseDecimal(full); !ok {
				t.Errorf("Completed(%q) = %q", text, full)
			}
		}
		_ = plain.SecondsHint(text)
	})
}
