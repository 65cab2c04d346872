-- {s} is the schema. What is unique to a store:
CREATE TABLE {s}.store (
	id text COLLATE "C" NOT NULL -- in the keys of its objects
);
INSERT INTO {s}.store VALUES ($id$);

-- The versions of maps and notes. None comes twice.
CREATE SEQUENCE {s}.versions;

CREATE TABLE {s}.maps (
	id      bytea  PRIMARY KEY,
	version bigint NOT NULL,
	xid     xid8   NOT NULL DEFAULT pg_current_xact_id(), -- of the transaction that wrote it
	size    bigint NOT NULL, -- bytes
	packed  bytea  NOT NULL  -- the map, compressed by zstd
);
ALTER TABLE {s}.maps ALTER packed SET STORAGE EXTERNAL;
CREATE INDEX maps_xid ON {s}.maps (xid);

-- Maps that were deleted lately, so that others find out.
CREATE TABLE {s}.deleted_maps (
	id  bytea PRIMARY KEY,
	xid xid8  NOT NULL DEFAULT pg_current_xact_id(),
	at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deleted_maps_xid ON {s}.deleted_maps (xid);

CREATE TABLE {s}.notes (
	kind    text COLLATE "C" NOT NULL,
	hash    bytea  NOT NULL, -- SHA-256 of the name
	name    bytea  NOT NULL,
	version bigint NOT NULL,
	data    bytea  NOT NULL,
	PRIMARY KEY (kind, hash)
);

CREATE TABLE {s}.evidence (
	key         text COLLATE "C" PRIMARY KEY,
	name        text COLLATE "C" NOT NULL,
	meta        bytea  NOT NULL, -- JSON
	resource    bytea  NOT NULL,
	source_hash bytea  NOT NULL,
	size        bigint NOT NULL, -- bytes
	sha256      text COLLATE "C" NOT NULL,
	keep        bool   NOT NULL,
	used        timestamptz NOT NULL DEFAULT now(), -- last, to some minutes
	inline      bytea,                              -- the content, if it is small
	content     text COLLATE "C",                   -- else the key of the object with it
	etag        text COLLATE "C",                   -- of that object
	CHECK ((inline IS NULL) <> (content IS NULL)),
	CHECK ((content IS NULL) = (etag IS NULL))
);
CREATE INDEX evidence_used ON {s}.evidence (used);
CREATE INDEX evidence_content ON {s}.evidence (content) WHERE content IS NOT NULL;

-- Objects that no evidence refers to: not yet, or no longer.
CREATE TABLE {s}.garbage (
	key    text COLLATE "C" PRIMARY KEY,
	size   bigint NOT NULL, -- bytes; -1 if that is not known
	since  timestamptz NOT NULL DEFAULT now(),
	doomed bool NOT NULL DEFAULT false -- it is being deleted
);
CREATE INDEX garbage_since ON {s}.garbage (since);

CREATE FUNCTION {s}.discard() RETURNS trigger LANGUAGE plpgsql AS $discard$
BEGIN
	IF OLD.content IS NOT NULL AND (TG_OP = 'DELETE' OR NEW.content IS DISTINCT FROM OLD.content) THEN
		INSERT INTO {s}.garbage (key, size) VALUES (OLD.content, OLD.size) ON CONFLICT DO NOTHING;
	END IF;
	RETURN NULL;
END
$discard$;
CREATE TRIGGER discarded AFTER UPDATE OR DELETE ON {s}.evidence FOR EACH ROW EXECUTE FUNCTION {s}.discard();

CREATE TABLE {s}.leases (
	name    text COLLATE "C" PRIMARY KEY,
	holder  text COLLATE "C" NOT NULL,
	expires timestamptz NOT NULL
);
