package cloud

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The files of migrations are run in the order of their numbers, each once. One that
// was released does not change. What processes of the version before do must work after
// it; where it does not, it needs itself.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrated is the number of the last migration.
const migrated = 3

// needed has, for each migration, the last one that a process must know to work after it.
var needed = [migrated + 1]int{1: 1, 2: 1, 3: 1}

// migrate brings the schema to what this version needs.
func (w *Workspace) migrate(ctx context.Context) error {
	err := w.try(ctx, repeating, func() error {
		done, err := w.isMigrated(ctx)
		if err != nil || done {
			return err
		}
		if w.readOnly {
			return w.notMigrated(ctx)
		}
		return w.runMigrations(ctx)
	})
	if err != nil {
		return err
	}
	if err := w.checkRights(ctx); err != nil || w.readOnly {
		return err
	}
	return w.adoptMaps(ctx)
}

// An absentError reports a schema that is still to be made.
type absentError struct{ schema string }

func (e absentError) Error() string {
	return "the schema " + e.schema + " has no workspace yet; the first 'citekit ingest' makes one"
}

func (absentError) Is(target error) bool { return target == fs.ErrNotExist }

// notMigrated says why a schema cannot be used as it is.
func (w *Workspace) notMigrated(ctx context.Context) error {
	var exists bool
	if err := w.pool.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, w.schema+".migrations").Scan(&exists); err != nil {
		return err
	}
	if !exists {
		return absentError{w.schema}
	}
	return &storeError{databaseFault, fmt.Errorf("the schema %s is of an earlier version: any command of this version that may change it, such as 'citekit list', brings it up to date", w.schema)}
}

// newerError reports a schema that a later version has changed so that this one cannot
// use it.
type newerError struct{ number, known int }

func (e newerError) Error() string {
	return fmt.Sprintf("a later version of citekit has changed the schema (migration %d, and this version knows %d): use that version, or restore the database to before", e.number, e.known)
}

// isMigrated reports whether the schema is at least what this version needs.
func (w *Workspace) isMigrated(ctx context.Context) (bool, error) {
	var last, least int
	err := w.pool.QueryRow(ctx, w.sql(`SELECT max(number), max(needed) FROM {s}.migrations`)).Scan(&last, &least)
	var answer *pgconn.PgError
	switch {
	case errors.As(err, &answer) && (answer.Code == "42P01" || answer.Code == "3F000"): // no such table or schema
		return false, nil
	case err != nil:
		return false, err
	case least > w.known:
		return false, newerError{least, w.known}
	}
	return last >= w.known, nil
}

// runMigrations runs what is missing, in one transaction. Others wait.
func (w *Workspace) runMigrations(ctx context.Context) error {
	return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, w.lockNumber()); err != nil {
			return err
		}
		// Who may not make schemas may use one that is there.
		var exists bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, w.schema).Scan(&exists); err != nil {
			return err
		}
		if !exists {
			_, err := tx.Exec(ctx, w.sql(`CREATE SCHEMA {s}`))
			var answer *pgconn.PgError
			if errors.As(err, &answer) && answer.Code == noRight {
				return fmt.Errorf("%w; the owner of the database must run: CREATE SCHEMA %s AUTHORIZATION the role, or GRANT CREATE ON DATABASE the database TO the role", err, w.schema)
			}
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, w.sql(`CREATE TABLE IF NOT EXISTS {s}.migrations (
			number int PRIMARY KEY,
			needed int NOT NULL, -- the last migration that a process must know
			at timestamptz NOT NULL DEFAULT now())`))
		if err != nil {
			return err
		}
		var last int
		if err := tx.QueryRow(ctx, w.sql(`SELECT coalesce(max(number), 0) FROM {s}.migrations`)).Scan(&last); err != nil {
			return err
		}
		for number := last + 1; number <= w.known; number++ {
			if err := w.runMigration(ctx, tx, number); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *Workspace) runMigration(ctx context.Context, tx pgx.Tx, number int) error {
	text, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.sql", number))
	if err != nil {
		return err
	}
	statements := strings.ReplaceAll(w.sql(string(text)), "$id$", "'"+strings.ToLower(rand.Text())+"'")
	if _, err := tx.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		err = fmt.Errorf("migration %d: %w", number, err)
		var answer *pgconn.PgError
		if errors.As(err, &answer) && answer.Code == noRight {
			return &storeError{databaseFault, fmt.Errorf("%w; the owner of the tables must run a command of this version once, such as 'citekit list'", err)}
		}
		return err
	}
	_, err = tx.Exec(ctx, w.sql(`INSERT INTO {s}.migrations (number, needed) VALUES ($1, $2)`), number, needed[number])
	return err
}

// lockNumber returns the number of the lock that those hold who migrate the schema.
func (w *Workspace) lockNumber() int64 {
	sum := sha256.Sum256([]byte("citekit migrations of " + w.schema))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// grants returns the statements that give a role what it needs.
func (w *Workspace) grants() string {
	return w.sql(`an owner of the schema must run: GRANT USAGE ON SCHEMA {s} TO the role; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO the role; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO the role; while it has no tables, also: GRANT CREATE ON SCHEMA {s} TO the role`)
}

// checkRights returns an error that says which rights the role lacks.
func (w *Workspace) checkRights(ctx context.Context) error {
	lacks, err := all(ctx, w, pgx.RowTo[string], `
		SELECT format('%s on the table %s', r, t) FROM unnest($1::text[]) t, unnest($2::text[]) r WHERE NOT has_table_privilege(to_regclass('{s}.' || t), r)
		UNION ALL SELECT 'SELECT on the table migrations' WHERE NOT has_table_privilege('{s}.migrations', 'SELECT')
		UNION ALL SELECT r || ' on the table store' FROM unnest($3::text[]) r WHERE NOT has_table_privilege('{s}.store', r)
		UNION ALL SELECT 'USAGE on the sequence versions' WHERE NOT has_sequence_privilege('{s}.versions', 'USAGE')
		ORDER BY 1`,
		[]string{"maps", "deleted_maps", "notes", "evidence", "garbage", "leases", "meters"},
		[]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, []string{"SELECT", "UPDATE"})
	if err == nil && len(lacks) > 0 {
		err = &storeError{databaseFault, fmt.Errorf("the role lacks %s; %s", strings.Join(lacks, ", "), w.grants())}
	}
	return err
}
