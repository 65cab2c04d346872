package command

import (
	"errors"
	"os"
	"strings"
	"syscall"
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

// A full disk keeps a key from being revoked, which the error says.
func TestRevokeError(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "keys.json", Err: syscall.ENOSPC}
	if err := revokeError(full); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the key is still valid: free space") {
		t.Errorf("a full disk: %v", err)
	}
	if err := revokeError(os.ErrNotExist); err != os.ErrNotExist {
		t.Errorf("another error: %v", err)
	}
}

// A certificate that systemd copies is not read again by itself.
func TestRenewal(t *testing.T) {
	for file, want := range map[string]string{
		"/run/credentials/citekit.service/cert.pem": "systemctl restart citekit.service",
		"/etc/citekit/tls/cert.pem":                 "the server reads it again by itself",
	} {
		if got := renewal(file); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
