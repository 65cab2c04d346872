package access

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
)

// A keyRecord is a key as stored in a file.
type keyRecord struct {
	Key
	hash [sha256.Size]byte // all zeros if the key is revoked
}

// parse parses a file. The error gives the line, the fault, and what is expected.
func parse(data []byte, check func(Key) error) ([]keyRecord, error) {
	scanner, err := strictjson.NewScanner(data)
	if err != nil {
		return nil, err
	}
	p := keyParser{Scanner: scanner, check: check, ids: make(map[string]bool)}
	if err := p.file(); err != nil {
		text := strings.TrimPrefix(string(data), "\ufeff")
		line := 1 + strings.Count(text[:min(scanner.Pos(), len(text))], "\n")
		return nil, fmt.Errorf("line %d: %s", line, clip(err.Error()))
	}
	return p.records, nil
}

// clip shortens a message that may contain text from a file.
func clip(text string) string {
	const most = 400
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// A keyParser parses a file. If it fails, its scanner is at the fault.
type keyParser struct {
	*strictjson.Scanner
	check   func(Key) error // may be nil
	ids     map[string]bool // of the keys so far
	records []keyRecord
}

func wrong(format string, args ...any) error {
	return &strictjson.Error{Reason: fmt.Sprintf(format, args...)}
}

func (p *keyParser) file() error {
	start, version := p.Pos(), ""
	err := p.Members(func(member string) (err error) {
		switch member {
		case "version":
			if version, err = p.Number(); err == nil && version != "1" {
				return wrong("is %s; this program reads version 1", message.Clip(version))
			}
			return err
		case "keys":
			return p.Elements(p.key)
		}
		return wrong("is not a field of a keys file; the fields are version and keys")
	})
	if err == nil && version == "" {
		p.Reset(start)
		err = errors.New(`version is missing; it is "version": 1`)
	}
	return err
}

func (p *keyParser) key() error {
	if len(p.records) == maxKeys {
		return wrong("is one too many; a file has at most %d keys", maxKeys)
	}
	start := p.Pos()
	var r keyRecord
	hashed := false
	err := p.Members(func(member string) error {
		switch member {
		case "id":
			return p.id(&r.ID)
		case "sha256":
			hashed = true
			return p.hash(&r.hash)
		case "label":
			return p.Text(&r.Label)
		case "workspaces":
			return p.names(&r.Workspaces)
		case "toolsets":
			return p.names(&r.Toolsets)
		case "tools":
			return p.names(&r.Tools)
		case "read_only":
			return p.boolean(&r.ReadOnly)
		case "created":
			return p.time(&r.Created)
		case "expires":
			return p.time(&r.Expires)
		case "revoked":
			return p.time(&r.Revoked)
		}
		return wrong("is not a field of a key; the fields are id, sha256, label, workspaces, toolsets, tools, read_only, created, expires and revoked")
	})
	if err != nil {
		return err
	}
	if err := p.whole(&r, hashed); err != nil {
		p.Reset(start)
		p.Kind() // skips the space before it
		return wrong("is not a key: %v", err)
	}
	p.records = append(p.records, r)
	return nil
}

// whole returns an error if a key lacks a member.
func (p *keyParser) whole(r *keyRecord, hashed bool) error {
	switch {
	case r.ID == "":
		return errors.New("id is missing")
	case !hashed && r.Revoked.IsZero():
		return errors.New("sha256 is missing, the hash of the token")
	case r.Created.IsZero():
		return errors.New("created is missing, the time when it was made")
	}
	if err := r.Key.check(); err != nil {
		return err
	}
	if p.check != nil && r.Revoked.IsZero() {
		return p.check(r.Key)
	}
	return nil
}

func (p *keyParser) id(id *string) error {
	start := p.Pos()
	if err := p.Text(id); err != nil {
		return err
	}
	switch {
	case !isID(*id):
		p.Reset(start)
		return wrong("is %s; ids are %d letters a-z and digits 2-7", message.Quote(*id), idLength)
	case p.ids[*id]:
		p.Reset(start)
		return wrong("is %s, which another key has", message.Quote(*id))
	}
	p.ids[*id] = true
	return nil
}

func (p *keyParser) hash(hash *[sha256.Size]byte) error {
	start, text := p.Pos(), ""
	if err := p.Text(&text); err != nil {
		return err
	}
	if n, err := hex.Decode(hash[:], []byte(text[:min(len(text), 2*len(hash))])); err != nil || n != len(hash) || len(text) != 2*n {
		p.Reset(start)
		return wrong("is not the SHA-256 of a token, in 64 hex digits")
	}
	return nil
}

func (p *keyParser) names(names *[]string) error {
	*names = []string{}
	return p.Elements(func() error {
		var name string
		if p.Kind() == 'n' {
			return wrong("is null, not a string")
		}
		if err := p.Text(&name); err != nil {
			return err
		}
		if len(*names) <= maxNames { // otherwise there are too many, which is an error once all are read
			*names = append(*names, name)
		}
		return nil
	})
}

func (p *keyParser) boolean(value *bool) error {
	if kind := p.Kind(); kind != 't' && kind != 'f' {
		return wrong("is %s, not true or false", strictjson.KindName(kind))
	}
	*value = p.Skip() == "true"
	return nil
}

func (p *keyParser) time(value *time.Time) error {
	start, text := p.Pos(), ""
	if p.Kind() == 'n' {
		return wrong("is null; leave it out, or give a time such as 2027-01-31T00:00:00Z")
	}
	if err := p.Text(&text); err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC().Truncate(time.Second); err != nil || t.Year() < 1970 || t.Year() > 9999 {
		p.Reset(start)
		return wrong("is %s, not a time such as 2027-01-31T00:00:00Z", message.Quote(text))
	}
	*value = t
	return nil
}

// encode writes keys in the form that parse reads.
func encode(records []keyRecord) ([]byte, error) {
	type kept struct {
		Key
		SHA256 string `json:"sha256,omitempty"`
	}
	file := struct {
		Version int    `json:"version"`
		Keys    []kept `json:"keys"`
	}{1, []kept{}}
	for _, r := range records {
		k := kept{Key: r.Key}
		k.LastUsed = time.Time{} // stored in another file
		if r.Revoked.IsZero() {
			k.SHA256 = hex.EncodeToString(r.hash[:])
		}
		file.Keys = append(file.Keys, k)
	}
	data, err := json.MarshalIndent(file, "", "  ")
	return append(data, '\n'), err
}
