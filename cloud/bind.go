package cloud

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/citekit/citekit/workspace/driver"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A schema belongs with its sources, its bucket and its database. A URL that names others
// by mistake would make all sources look vanished, or all evidence lost; two copies of a
// database over one bucket would each delete what the other has. So the row of the store
// has the place of its sources, and the token of a mark: an object of the bucket that also
// names the database. Who moves one of them says so by moved_from with what was there
// before, which does no harm once it is done.

// A mark is the content of an object that ties a bucket to a schema.
type mark struct {
	Token    string `json:"token"`              // random
	Database string `json:"database,omitempty"` // see databaseName; "" if it is not known
}

const maxMark = 4 << 10 // bytes

func (w *Workspace) markKey() string { return "workspace-" + w.id }

// bind reads the id of the store, and checks that it belongs with its sources and its
// bucket.
func (w *Workspace) bind(ctx context.Context) error {
	var sources, token string
	err := w.row(ctx, repeating, []any{&w.id, &sources, &token}, `SELECT id, coalesce(sources, ''), coalesce(mark, '') FROM {s}.store`)
	if err == nil {
		err = w.bindSources(ctx, sources)
	}
	if err != nil || token == "" {
		return err // it has no objects yet
	}
	m, _, err := w.readMark(ctx)
	if err != nil {
		return err
	}
	database, err := w.databaseName(ctx)
	if err != nil {
		return err
	}
	if err = belongs(m, token, database); err != nil && !w.readOnly && w.hasMoved(token) {
		return w.setMark(ctx)
	}
	w.marked.Store(err == nil)
	return err
}

// checkApart returns an error if evidence would lie among the sources, where the next walk
// took it for one, or sources among the evidence.
func (w *Workspace) checkApart() error {
	bucket, ok := w.bucket.(interface{ Place() string })
	if !ok || w.sourceStore == nil {
		return nil
	}
	evidence, sources := bucket.Place(), w.sourceStore.Place()
	if strings.HasPrefix(evidence, sources) || strings.HasPrefix(sources, evidence) {
		return fmt.Errorf("one of bucket=s3://%s and sources=s3://%s is in the other: give each a prefix of its own", withoutHost(evidence), withoutHost(sources))
	}
	return nil
}

func withoutHost(place string) string {
	_, rest, _ := strings.Cut(place, "/")
	return rest
}

// hasMoved reports whether the person says that what had one of these names has moved.
func (w *Workspace) hasMoved(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && slices.Contains(w.movedFrom, name) })
}

// moved is the parameter of the URL that says that what had a name has moved.
func moved(name string) string { return url.Values{"moved_from": {name}}.Encode() }

// bindSources checks the place of the sources, which may be any while there are no maps.
func (w *Workspace) bindSources(ctx context.Context, was string) error {
	if w.place == "" || w.place == was || w.readOnly && (was == "" || w.hasMoved(was)) {
		return nil
	}
	var n int64
	var err error
	if w.readOnly {
		err = w.row(ctx, repeating, []any{&n}, `SELECT CASE WHEN EXISTS (SELECT FROM {s}.maps) THEN 0 ELSE 1 END`)
	} else {
		n, err = w.exec(ctx, repeating, `UPDATE {s}.store SET sources = $1
			WHERE sources IS NULL OR sources = $1 OR sources = ANY($2) OR NOT EXISTS (SELECT FROM {s}.maps)`, w.place, w.movedFrom)
	}
	if err == nil && n == 0 {
		err = &storeError{"the sources of the workspace are not those that it was filled from", fmt.Errorf(
			"they were s3://%s, and its URL names s3://%s: correct sources or, if the files were moved there, add %s", was, w.place, moved(was))}
	}
	return err
}

// databaseName names the schema among all of all servers, or is "" if the server does not
// tell. A physical copy of a server has the same names.
func (w *Workspace) databaseName(ctx context.Context) (name string, err error) {
	err = w.row(ctx, repeating, []any{&name}, `SELECT system_identifier || '/' || current_database() || '/' || $1 FROM pg_control_system()`, w.schema)
	var answer *pgconn.PgError
	if errors.As(err, &answer) && (answer.Code == noRight || answer.Code == "42883") { // or no such function
		return "", nil
	}
	return name, err
}

// readMark returns the mark of the bucket and its ETag, or nothing if there is none.
func (w *Workspace) readMark(ctx context.Context) (m mark, etag string, err error) {
	body, at, err := w.bucket.Read(ctx, w.markKey(), driver.ReadOptions{})
	switch {
	case ctx.Err() != nil:
		return m, "", ctx.Err()
	case w.bucket.ErrorKind(err) == driver.NotFound:
		return m, "", nil
	case err != nil:
		return m, "", &storeError{bucketFault, err}
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxMark))
	if err == nil && (json.Unmarshal(data, &m) != nil || m.Token == "") {
		err = errors.New("the object " + w.markKey() + " is not as citekit writes it")
	}
	if err != nil {
		return m, "", &storeError{bucketFault, err}
	}
	w.tagsAreSums.Store(at.ETag == sumOf(data))
	return m, at.ETag, nil
}

// belongs returns an error unless the mark of the bucket is that of a schema with a token
// in a database.
func belongs(m mark, token, database string) error {
	const what = "the bucket does not belong with the database of the workspace"
	switch {
	case m.Token == "" && token != "":
		return &storeError{what, fmt.Errorf("it has no mark of this workspace, as it is another bucket or prefix than before, or was emptied: "+
			"correct bucket in its URL or, if the objects were moved or are lost, add %s", moved(token))}
	case m.Token != token && token != "":
		return &storeError{what, fmt.Errorf("a copy of this database has taken the bucket and prefix, or the database was restored to before it took them: "+
			"end the copy, and add %s to the workspace's URL to take them back", moved(token))}
	case database != "" && m.Database != "" && database != m.Database:
		return &storeError{what, fmt.Errorf("it is that of %s, of which %s is a copy, and they would delete each other's objects: "+
			"give the copy a prefix of its own or, if the database was moved, add %s to the workspace's URL", m.Database, database, moved(m.Token))}
	}
	return nil
}

// ensureMark has the bucket marked before the first object is written.
func (w *Workspace) ensureMark(ctx context.Context) error {
	if w.marked.Load() {
		return nil
	}
	return w.setMark(ctx)
}

// setMark marks the bucket, unless it is marked and belongs with the schema already.
func (w *Workspace) setMark(ctx context.Context) error {
	database, err := w.databaseName(ctx)
	if err != nil {
		return err
	}
	err = w.try(ctx, repeating, func() error {
		return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error { return w.setMarkIn(ctx, tx, database) })
	})
	w.marked.Store(err == nil)
	return err
}

func (w *Workspace) setMarkIn(ctx context.Context, tx pgx.Tx, database string) error {
	var token string // one process at a time
	if err := tx.QueryRow(ctx, w.sql(`SELECT coalesce(mark, '') FROM {s}.store FOR UPDATE`)).Scan(&token); err != nil {
		return err
	}
	m, etag, err := w.readMark(ctx)
	if err != nil {
		return err
	}
	switch err := belongs(m, token, database); {
	case err == nil && m.Token != "": // or that of a process that was killed before its row had it
	case err == nil, w.hasMoved(token, m.Token):
		if m, err = w.writeMark(ctx, database, etag); err != nil {
			return err
		}
	default:
		return err
	}
	if m.Token != token {
		_, err = tx.Exec(ctx, w.sql(`UPDATE {s}.store SET mark = $1`), m.Token)
	}
	return err
}

// writeMark writes a mark in place of the one with an ETag, or of none for "".
func (w *Workspace) writeMark(ctx context.Context, database, etag string) (mark, error) {
	m := mark{Token: rand.Text(), Database: database}
	data, err := json.Marshal(m)
	if err == nil {
		var at driver.Attributes
		at, err = w.bucket.Write(ctx, w.markKey(), bytes.NewReader(data), driver.WriteOptions{Size: int64(len(data)), IfMatch: etag, IfAbsent: etag == ""})
		w.tagsAreSums.Store(err == nil && at.ETag == sumOf(data))
	}
	if err != nil {
		err = cmp.Or(ctx.Err(), error(&storeError{bucketFault, err}))
	}
	return m, err
}
