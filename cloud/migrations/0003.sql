-- Buckets of tokens, which servers that limit callers together take from. After a crash
-- they are full again.
CREATE UNLOGGED TABLE {s}.meters (
	bucket bytea PRIMARY KEY, -- SHA-256 of the name
	tokens float8 NOT NULL,   -- at that time; less than zero is a debt
	taken  float8 NOT NULL,   -- by who took last
	at     timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Notes of sources in the order of a bucket's listing, which they are compared with.
CREATE INDEX notes_of_sources ON {s}.notes (substr(name, 1, 1024)) WHERE kind = 'ingest';
