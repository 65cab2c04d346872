package mapadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"path"
)

// Detect returns the adapter that reads an input. It recognises folders by the
// names of their files, and files by their content. If no adapter reads the
// input, the error matches [citekit.ErrFormat].
func Detect(ctx context.Context, in Input) (Adapter, error) {
	if in.isDir() {
		return detectFolder(in)
	}
	data, err := in.read(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	if adapter := detectFile(in.Name, bytes.TrimSpace(trimBOM(data))); adapter != nil {
		return adapter, nil
	}
	return nil, formatError("the input is of no tool that is known; name the adapter")
}

func detectFolder(in Input) (Adapter, error) {
	if _, err := fs.Stat(in.FS, path.Join(in.Name, "docstore.json")); err == nil {
		return LlamaIndex{}, nil
	}
	if _, err := tableFiles(in); err != nil {
		return nil, err
	}
	return GraphRAG{}, nil
}

// detectFile returns nil for an unknown form.
func detectFile(name string, data []byte) Adapter {
	table, isTable := tableOf(name)
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return GraphRAG{}
	}
	top, ok := firstObject(data)
	if !ok {
		return nil
	}
	switch {
	case top.text("schema_name") == "DoclingDocument", top.has("body", "texts"), top.sub("document").has("json_content"):
		return Docling{}
	case top.has("docstore/data"), top.has("docstore/metadata"), top.has("docstore"), top.has("index_store/data"):
		return LlamaIndex{}
	case top.has("structure"), isPageIndexNode(top) && top.has("node_id"):
		return PageIndex{}
	case isTable && isRow(top, table.table):
		return GraphRAG{}
	case isLlamaNode(top), isLlamaNode(unwrapped(top, new(int))), len(top.records("nodes")) > 0 && isLlamaNode(unwrapped(top.records("nodes")[0], new(int))):
		return LlamaIndex{}
	case top.has("nodes"), top.has("resource_id"), top.has("maps"), top.has("title"), top.has("children"), top.has("id", "location"):
		return Generic{}
	}
	return nil
}

// firstObject returns the first object of the JSON: the value itself, the
// first of a list, or the first of several values.
func firstObject(data []byte) (record, bool) {
	if checkValues(data, new(int)) != nil {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if bytes.HasPrefix(data, []byte("[")) {
		if _, err := decoder.Token(); err != nil {
			return nil, false
		}
	}
	var r record
	err := decoder.Decode(&r)
	return r, err == nil
}

func isLlamaNode(r record) bool {
	return r.has("id_") || r.has("node_id") && r.has("text") || r.has("relationships") && r.has("metadata")
}

// isRow reports whether an object looks like a row of a table of GraphRAG, or
// like all of its columns.
func isRow(r record, table string) bool {
	switch table {
	case tableCommunities, tableReports:
		return r.has("community")
	case tableEntities:
		return r.has("title", "description") || r.has("name", "description")
	case tableRelationships:
		return r.has("source", "target")
	}
	return r.has("text")
}
