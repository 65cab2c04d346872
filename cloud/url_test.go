package cloud

import (
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	t.Setenv("PGPASSWORD", "hidden")
	good := "pg://user@host:5433/db?schema=own_1&bucket=s3%3A%2F%2Fb%2Fp%3Fregion%3Dx%26path_style%3Dtrue&cache=%2Fvar%2Fc&cache_bytes=5&sslmode=require"
	p, err := parse(good)
	if err != nil {
		t.Fatal(err)
	}
	if p.schema != "own_1" || p.bucket != "s3://b/p?region=x&path_style=true" || p.cache != "/var/c" || p.cacheBytes != 5 {
		t.Errorf("parse(%q) = %+v", good, p)
	}
	if c := p.config.ConnConfig; c.Host != "host" || c.Port != 5433 || c.Database != "db" || c.User != "user" || c.Password != "hidden" || c.TLSConfig == nil {
		t.Errorf("parse(%q) has the database %s:%d/%s, user %s, encrypted: %v", good, c.Host, c.Port, c.Database, c.User, c.TLSConfig != nil)
	}
	if p, err := parse("pg://host/db?bucket=s3://b/p"); err != nil || p.schema != "citekit" || p.bucket != "s3://b/p" {
		t.Errorf("parse without a schema: %+v, %v; want the schema citekit", p, err)
	}
	for raw, want := range map[string]string{
		"":                                 "must be like pg://",
		"postgres://h/d":                   "must be like pg://",
		"pg:d":                             "must be like pg://",
		"pg://h/d/e":                       "must be like pg://",
		"pg://h/d#f":                       "must be like pg://",
		"pg://h:x:y/d":                     "must be like pg://",
		"pg://u:S3cret@h/d":                "PGPASSFILE",
		"pg://u:@h/d":                      "PGPASSFILE",
		"pg://u:S3cret@h:port/d":           "must be like pg://",
		"pg://h/d?password=S3cret":         "PGPASSFILE",
		"pg://h/d?sslpassword=S3cret":      "PGPASSFILE",
		"pg://h/d?x=S3cret":                "the parameter \"x\"",
		"pg://h/d?schema=a&schema=b":       "twice",
		"pg://h/d?schema=":                 "the schema",
		"pg://h/d?schema=A":                "the schema",
		"pg://h/d?schema=pg_x":             "the schema",
		"pg://h/d?schema=1a":               "the schema",
		"pg://h/d?schema=a%22%3B--":        "the schema",
		"pg://h/d?schema=a'":               "the schema",
		"pg://h/d?schema=a%0Ab":            "the schema",
		"pg://h/d?schema=a-b":              "the schema",
		"pg://h/d?cache_bytes=0":           "cache_bytes",
		"pg://h/d?cache_bytes=x":           "cache_bytes",
		"pg://h/d?sslmode=S3cret":          "sslmode",
		"pg://h/d?bucket=%zz":              "query",
		"pg://h/d?schema=s&region=S3cret1": "written %26",
	} {
		if _, err := parse(raw); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "S3cret") {
			t.Errorf("parse(%q): %v; want an error with %q, and no secret", raw, err, want)
		}
	}
}
