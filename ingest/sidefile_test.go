package ingest_test

import (
	"testing"

	"github.com/citekit/citekit/internal/test/sqlitetest"
)

// TestIngestSideFile checks that a side file of a SQLite database is not mapped, and
// that a map of one counts as gone.
func TestIngestSideFile(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"shop.db-journal": "not committed\n"})
	f.want(t, f.ingest(t, nil), "mapped shop.db-journal as shop: 1")
	f.write(t, "shop.db", string(sqlitetest.Small(t)))
	f.write(t, "shop.db-shm", "index\n")
	const why = ` (a side file of the SQLite database "shop.db", which may have changes that are not committed; it is no source: name the database)`
	f.want(t, f.ingest(t, nil, "shop.db-shm"), "failed shop.db-shm"+why)
	f.want(t, f.ingest(t, nil, "shop.db-journal"), "vanished shop.db-journal as shop")
	f.want(t, f.ingest(t, nil), "failed shop.db (no mapper for document: unsupported operation)", "vanished shop.db-journal as shop")
}
