package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestSQL(t *testing.T) {
	testBraces(t, code.SQL, []braceCase{
		{"PostgreSQL", `
			-- People.
			-- All of them.
			CREATE TABLE IF NOT EXISTS public."People" (
			    id serial, -- the key;
			    note text DEFAULT 'a;''b'
			);
			CREATE UNIQUE INDEX CONCURRENTLY by_name ON people (name);
			CREATE INDEX ON people (id);
			CREATE OR REPLACE FUNCTION f(a int) RETURNS int AS $body$
			BEGIN
			    RETURN 1; -- ;
			END;
			$body$ LANGUAGE plpgsql;
			CREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC
			    SELECT CASE WHEN true THEN 1 END;
			    SELECT 2;
			END;
			/* A /* nested; */ comment; */
			create materialized view v as select E'\';' ;
			CREATE TYPE mood AS ENUM ('a;', 'b');
			CREATE TRIGGER t AFTER INSERT ON people REFERENCING NEW TABLE AS n
			    FOR EACH ROW EXECUTE FUNCTION f();
			COPY people FROM stdin;
			1	create table not (;
			\.
			\set x 'create table not'
			BEGIN;
			CREATE SEQUENCE s;
			COMMIT;
			CREATE ACCESS METHOD m TYPE INDEX HANDLER h;
			SELECT 1 AS x \gset
			CREATE SCHEMA app;
		`, `
			table public.People 3-6 // People. All of them.
			key by_name 7-7
			function f 9-13
			function g 14-17
			table v 19-19 // A /* nested; */ comment;
			type mood 20-20
			function t 21-22
			variable s 28-28
			namespace app 32-32
		`},
		{"MySQL", `
			CREATE TABLE ` + "`a b`" + ` (x int COMMENT 'it\'s;') ENGINE=InnoDB;
			DELIMITER $$
			CREATE DEFINER=` + "`root`@`%`" + ` PROCEDURE p()
			BEGIN
			    IF a THEN SELECT 1; END IF;
			    WHILE b DO SET c = 1; END WHILE;
			END$$
			DELIMITER ;
			CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW
			BEGIN
			    CASE x WHEN 1 THEN SET y = 2; END CASE;
			    LOOP SET z = 1; END LOOP;
			END;
			CREATE VIEW w AS SELECT 1;
		`, `
			table a b 1-1
			function p 3-7
			function tr 9-13
			table w 14-14
		`},
		{"Oracle and SQL Server", `
			CREATE OR REPLACE PACKAGE BODY pkg AS
			    PROCEDURE a IS x NUMBER; BEGIN NULL; END a;
			    FUNCTION b RETURN NUMBER IS BEGIN RETURN CASE WHEN 1=1 THEN 2 END; END;
			END pkg;
			/
			CREATE PROCEDURE q IS
			    n NUMBER;
			BEGIN
			    FOR i IN 1..3 LOOP n := i; END LOOP;
			END q;
			/
			CREATE TABLE last (x int)
			/
		`, `
			module pkg 1-4
			function q 6-10
			table last 12-12
		`},
		{"batches", `
			CREATE PROCEDURE [dbo].[Get It] @id int AS
			SELECT 1;
			SELECT 2;
			GO
			CREATE TABLE [t] (x int)
			go
		`, `
			function dbo.Get It 1-3
			table t 5-5
		`},
	})
}
