package cloud

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The files of migrations are run in the order of their numbers, each once. One that
// was released does not change. What processes of the version before do must work after
// it; where it does not, the second column of the row in "migrations" is its own number.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrated is the number of the last migration.
const migrated = 2

// migrate brings the schema to what this version needs, and reads the id of the store.
func (w *Workspace) migrate(ctx context.Context) error {
	err := w.try(ctx, repeating, func() error {
		done, err := w.isMigrated(ctx)
		if err != nil || done {
			return err
		}
		return w.runMigrations(ctx)
	})
	if err != nil {
		return err
	}
	if err := w.checkRights(ctx); err != nil {
		return err
	}
	if err := w.row(ctx, repeating, []any{&w.id}, `SELECT id FROM {s}.store`); err != nil {
		return err
	}
	return w.adoptMaps(ctx)
}

// newerError reports a schema that a later version has changed so that this one cannot
// use it.
type newerError struct{ number int }

func (e newerError) Error() string {
	return fmt.Sprintf("a later version of citekit has changed the schema (migration %d, and this version knows %d): use that version", e.number, migrated)
}

// isMigrated reports whether the schema is at least what this version needs.
func (w *Workspace) isMigrated(ctx context.Context) (bool, error) {
	var last, needed int
	err := w.pool.QueryRow(ctx, w.sql(`SELECT max(number), max(needed) FROM {s}.migrations`)).Scan(&last, &needed)
	var answer *pgconn.PgError
	switch {
	case errors.As(err, &answer) && (answer.Code == "42P01" || answer.Code == "3F000"): // no such table or schema
		return false, nil
	case err != nil:
		return false, err
	case needed > migrated:
		return false, newerError{needed}
	}
	return last >= migrated, nil
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
		for number := last + 1; number <= migrated; number++ {
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
		return fmt.Errorf("migration %d: %w", number, err)
	}
	_, err = tx.Exec(ctx, w.sql(`INSERT INTO {s}.migrations (number, needed) VALUES ($1, 1)`), number)
	return err
}

// lockNumber returns the number of the lock that those hold who migrate the schema.
func (w *Workspace) lockNumber() int64 {
	sum := sha256.Sum256([]byte("citekit migrations of " + w.schema))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// grants returns the statements that give a role what it needs.
func (w *Workspace) grants() string {
	return w.sql(`an owner of the schema must run: GRANT USAGE ON SCHEMA {s} TO the role; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO the role; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO the role`)
}

// checkRights returns an error that says which rights the role lacks.
func (w *Workspace) checkRights(ctx context.Context) error {
	lacks, err := all(ctx, w, pgx.RowTo[string], `
		SELECT format('%s on the table %s', r, t) FROM unnest($1::text[]) t, unnest($2::text[]) r WHERE NOT has_table_privilege('{s}.' || t, r)
		UNION ALL SELECT 'SELECT on the table ' || t FROM unnest($3::text[]) t WHERE NOT has_table_privilege('{s}.' || t, 'SELECT')
		UNION ALL SELECT 'USAGE on the sequence versions' WHERE NOT has_sequence_privilege('{s}.versions', 'USAGE')
		ORDER BY 1`,
		[]string{"maps", "deleted_maps", "notes", "evidence", "garbage", "leases", "meters"},
		[]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, []string{"store", "migrations"})
	if err == nil && len(lacks) > 0 {
		err = &storeError{databaseFault, fmt.Errorf("the role lacks %s; %s", strings.Join(lacks, ", "), w.grants())}
	}
	return err
}
