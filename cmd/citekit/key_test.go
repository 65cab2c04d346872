package main

import (
	"testing"
	"time"
)

func TestParseExpiry(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                     {},
		"90d":                  now.Add(90 * 24 * time.Hour),
		"12h":                  now.Add(12 * time.Hour),
		"36500d":               now.Add(36500 * 24 * time.Hour),
		"2027-01-31":           time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
		"2027-01-31T08:00:00Z": time.Date(2027, 1, 31, 8, 0, 0, 0, time.UTC),
	} {
		if got, err := parseExpiry(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"d", "0d", "-1d", "-12h", "36501d", "99999999999999999999d", "1.5d", "soon", "2026-01-31", "2026-13-01", "900000h", "1y"} {
		if got, err := parseExpiry(text, now); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
