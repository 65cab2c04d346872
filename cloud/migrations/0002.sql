-- What the store belongs with, so that other sources, another bucket and a copy of the
-- database are noticed.
ALTER TABLE {s}.store
	ADD COLUMN sources text COLLATE "C", -- bucket and prefix of what maps were made of
	ADD COLUMN mark    text COLLATE "C"; -- the token in an object of the bucket, once it has any
