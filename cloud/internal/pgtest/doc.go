// Package pgtest starts a PostgreSQL server for a test: one of its own, in a
// temporary folder, that keeps what it has confirmed.
package pgtest
