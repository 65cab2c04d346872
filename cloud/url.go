package cloud

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// parameters are what the query of a URL may have.
var parameters = []string{"bucket", "cache", "cache_bytes", "moved_from", "schema", "sources", "sslmode", "sslrootcert"}

var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

const form = "pg://USER@HOST:PORT/DATABASE?schema=NAME&bucket=s3://BUCKET/PREFIX"

var errPassword = errors.New("the URL of the workspace has a password, which others may see; take it out, and set PGPASSWORD, or PGPASSFILE to a file with it")

// isSchema reports whether a schema may have this name, which stands in SQL as it is.
func isSchema(name string) bool {
	return name != "" && len(name) <= 48 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" &&
		(name[0] < '0' || name[0] > '9') && !strings.HasPrefix(name, "pg_")
}

// A place is what a URL says.
type place struct {
	config          *pgxpool.Config
	schema          string
	bucket, sources string // URLs, "" if none is given
	cache           string // a folder; "" means none
	cacheBytes      int64  // zero means the default
	movedFrom       []string
}

const (
	connectTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second // of what was sent, until the other side has it
)

// parse reads a URL. Its errors do not repeat what may be a secret.
func parse(raw string) (place, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "pg" || u.Opaque != "" || u.Fragment != "" || strings.Contains(strings.TrimPrefix(u.Path, "/"), "/") {
		return place{}, errors.New("the URL of the workspace must be like " + form)
	}
	if _, has := u.User.Password(); has {
		return place{}, errPassword
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, errors.New("the query of the workspace's URL is not valid")
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		switch {
		case strings.Contains(strings.ToLower(key), "password"):
			return place{}, errPassword
		case !slices.Contains(parameters, key):
			return place{}, fmt.Errorf("the URL of the workspace has the parameter %.40q; it may have %s; those of the bucket are part of its own URL, in which & is written %%26", key, strings.Join(parameters, ", "))
		case len(query[key]) > 1 && key != "moved_from":
			return place{}, fmt.Errorf("the URL of the workspace has %s twice", key)
		}
	}
	p := place{schema: "citekit", bucket: query.Get("bucket"), sources: query.Get("sources"), cache: query.Get("cache"), movedFrom: query["moved_from"]}
	if query.Has("schema") {
		p.schema = query.Get("schema")
	}
	if !isSchema(p.schema) {
		return place{}, fmt.Errorf("the schema %.60q is not 1 to 48 of a-z, 0-9 and _, with no digit and no \"pg_\" at its start", p.schema)
	}
	if n := query.Get("cache_bytes"); n != "" {
		if p.cacheBytes, err = strconv.ParseInt(n, 10, 64); err != nil || p.cacheBytes <= 0 {
			return place{}, errors.New("cache_bytes must be a number of bytes, at least 1")
		}
	}
	return p, p.configure(u, query)
}

// configure makes the settings of the database.
func (p *place) configure(u *url.URL, query url.Values) (err error) {
	database := &url.URL{Scheme: "postgres", User: u.User, Host: u.Host, Path: u.Path}
	settings := make(url.Values)
	if mode := query.Get("sslmode"); query.Has("sslmode") && !slices.Contains(sslModes, mode) {
		return fmt.Errorf("sslmode must be one of %s", strings.Join(sslModes, ", "))
	}
	for _, key := range []string{"sslmode", "sslrootcert"} {
		if query.Has(key) {
			settings.Set(key, query.Get(key))
		}
	}
	database.RawQuery = settings.Encode()
	if p.config, err = pgxpool.ParseConfig(database.String()); err != nil {
		return fmt.Errorf("the database of the workspace's URL: %w", cmp.Or(errors.Unwrap(err), err)) // without the URL
	}
	p.config.ConnConfig.ConnectTimeout = connectTimeout
	// A server that has gone without a word is noticed in half a minute.
	dialer := &net.Dialer{
		Timeout: connectTimeout, Control: endUnanswered,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4},
	}
	p.config.ConnConfig.DialFunc = dialer.DialContext
	if p.config.ConnConfig.RuntimeParams["application_name"] == "" {
		p.config.ConnConfig.RuntimeParams["application_name"] = "citekit"
	}
	return nil
}
