package mapadapter

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/plain"
)

// The tables of GraphRAG that are read.
const (
	tableCommunities   = "communities"
	tableReports       = "community_reports"
	tableDocuments     = "documents"
	tableEntities      = "entities"
	tableRelationships = "relationships"
	tableTextUnits     = "text_units"
)

// graphTableNames are the names of the tables. A longer name stands before the
// name that it ends with.
var graphTableNames = []string{tableReports, tableCommunities, tableDocuments, tableEntities, tableRelationships, tableTextUnits}

// graphTables are the rows of tables by name.
type graphTables map[string][]record

// A tableFile is a file that holds a table.
type tableFile struct {
	table  string // its name
	prefix string // text before the table name, such as "create_final_"
	name   string // file name
	rank   int    // lower is better
}

// tableOf returns the table that a file holds, by the name of the file.
func tableOf(name string) (tableFile, bool) {
	base := path.Base(name)
	rank := 0
	switch ext := path.Ext(base); ext {
	case ".parquet":
	case ".json":
		rank = 1
	case ".jsonl", ".ndjson":
		rank = 2
	default:
		return tableFile{}, false
	}
	base = strings.TrimSuffix(stem(base), ".export")
	for _, table := range graphTableNames {
		prefix, ok := strings.CutSuffix(base, table)
		if ok && (prefix == "" || strings.HasSuffix(prefix, "_") || strings.HasSuffix(prefix, "-") || strings.HasSuffix(prefix, ".")) {
			return tableFile{table, prefix, name, rank}, true
		}
	}
	return tableFile{}, false
}

// tableFiles returns the file of each table: the files in the input folder, or
// those beside the input file that have the same prefix.
func tableFiles(in Input) (map[string]tableFile, error) {
	dir, prefix := in.Name, ""
	given, isFile := tableFile{}, !in.isDir()
	if isFile {
		var ok bool
		if given, ok = tableOf(in.Name); !ok {
			return nil, formatError("the input is no table of GraphRAG; they are named %s, and end in .parquet, .json or .jsonl", strings.Join(graphTableNames, ", "))
		}
		dir, prefix = path.Dir(in.Name), given.prefix
	}
	entries, err := fs.ReadDir(in.FS, dir)
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	files := make(map[string]tableFile)
	prefixes := make(map[string]bool)
	for _, e := range entries {
		f, ok := tableOf(path.Join(dir, e.Name()))
		if !ok || e.IsDir() || isFile && f.prefix != prefix {
			continue
		}
		prefixes[f.prefix] = true
		if known, ok := files[f.table]; !ok || f.rank < known.rank {
			files[f.table] = f
		}
	}
	if len(prefixes) > 1 {
		return nil, formatError("the folder has tables of %d graphs; name a table of one of them", len(prefixes))
	}
	if isFile {
		files[given.table] = given
	}
	if len(files) == 0 {
		return nil, formatError("the folder has no tables of GraphRAG; they are named %s, and end in .parquet, .json or .jsonl", strings.Join(graphTableNames, ", "))
	}
	return files, nil
}

// readTables reads all tables. A table that cannot be read is left out and
// reported to warn, unless it is the input itself or the only table.
func readTables(ctx context.Context, in Input, warn func(error)) (tables graphTables, leftOut []string, err error) {
	files, err := tableFiles(in)
	if err != nil {
		return nil, nil, err
	}
	tables = make(graphTables)
	var failed []error
	for _, table := range graphTableNames {
		f, ok := files[table]
		if !ok {
			continue
		}
		rows, err := readTableFile(ctx, in, f)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil && f.name == in.Name:
			return nil, nil, err
		case err != nil:
			failed = append(failed, err)
			leftOut = append(leftOut, table)
		default:
			tables[table] = rows
		}
	}
	if len(tables) == 0 {
		return nil, nil, failed[0]
	}
	for _, err := range failed {
		warn(err)
	}
	return tables, leftOut, nil
}

// readTableFile reads one table. Errors name its file.
func readTableFile(ctx context.Context, in Input, f tableFile) ([]record, error) {
	data, err := in.read(ctx, f.name)
	if err == nil {
		var rows []record
		if rows, err = readTable(ctx, data); err == nil {
			return rows, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", plain.Line(path.Base(f.name)), err)
}

// readTable reads the rows of a table: from a Parquet file, from JSON with one
// row a line, or from the JSON that pandas writes: a list of rows, or columns
// of cells by row number.
func readTable(ctx context.Context, data []byte) ([]record, error) {
	data = trimBOM(data)
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return readParquet(ctx, data)
	}
	start := bytes.TrimLeft(data, " \t\r\n")
	if bytes.HasPrefix(start, []byte("[")) {
		var rows []any
		if err := decode(data, &rows); err != nil {
			return nil, err
		}
		return recordsOf(rows), nil
	}
	return readJSONLines(ctx, data)
}

func readJSONLines(ctx context.Context, data []byte) ([]record, error) {
	if err := checkValues(data, new(int)); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bufio.NewReader(ctxio.Reader(ctx, bytes.NewReader(data))))
	decoder.UseNumber()
	var rows []record
	for {
		var row record
		err := decoder.Decode(&row)
		switch {
		case errors.Is(err, io.EOF):
			if len(rows) == 1 {
				return byColumns(rows[0]), nil
			}
			return rows, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, jsonError(err)
		case len(rows) == maxRows:
			return nil, tooLarge("the table has more than %d rows", maxRows)
		}
		rows = append(rows, row)
	}
}

// byColumns makes rows from an object whose members are all columns. It returns
// any other object as one row.
func byColumns(object record) []record {
	rows := make(map[string]record)
	for name, value := range object {
		cells, ok := value.(map[string]any)
		if !ok {
			return []record{object}
		}
		for row, cell := range cells {
			if rows[row] == nil {
				rows[row] = make(record)
			}
			rows[row][name] = cell
		}
	}
	keys := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) // the keys are numbers
	})
	list := make([]record, len(keys))
	for i, key := range keys {
		list[i] = rows[key]
	}
	return list
}
