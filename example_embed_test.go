package citekit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"sync/atomic"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A file can be cited before anything is known of it. A location without a
// modality is one of the file.
func ExampleLibrary_ResolveFile() {
	ws := workspace.NewMemory(fstest.MapFS{"log.txt": {Data: []byte("start\nworking\nstop\n")}})
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	ctx := context.Background()

	e, err := lib.ResolveFile(ctx, "log.txt", citekit.Text.Lines(2, 3), nil)
	if err != nil {
		log.Fatal(err)
	}
	content, err := ws.Evidence(e.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %q\n", e.Address, content)

	_, err = lib.ResolveFile(ctx, "log.txt", citekit.Text.Lines(3, 9), nil)
	fmt.Println(errors.Is(err, citekit.ErrRange))
	// Output:
	// text://log#lines=2-3 "working\nstop\n"
	// true
}

// Check tells what is wrong with a map that somebody wrote: by itself, and
// against its source.
func Example_check() {
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("one\ntwo\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()

	m := &citekit.ResourceMap{
		ResourceID: "poem", Type: citekit.Text, Title: "A poem", SourcePath: "poem.txt",
		Nodes: []*citekit.Node{
			{ID: "end", Type: "line", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 9}}},
			{ID: "end", Type: "line", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}},
		},
	}
	for _, problem := range ingest.Check(context.Background(), lib, m) {
		fmt.Println(problem)
	}
	// Output:
	// nodes[1].id (node 'end'): the id is taken by nodes[0]; only that node can be asked for: invalid syntax
	// nodes[0].location (node 'end'): lines 2-9 of 2; lines run 1-2: location out of range
}

// chapters is a mapper of one's own: lines in capitals begin chapters. What is
// no text it leaves to the mapper that it has.
type chapters struct{ next citekit.Mapper }

func (c chapters) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if req.Modality != citekit.Text {
		return c.next.Map(ctx, src, req)
	}
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		return nil, err
	}
	s := &citekit.Draft{Method: "capitals"}
	var last *citekit.Node
	for i, line := range strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n") {
		if title := strings.TrimSpace(line); title != "" && title == strings.ToUpper(title) {
			last = &citekit.Node{Title: title, Type: "chapter", Location: citekit.Text.Lines(i+1, i+1)}
			s.Nodes = append(s.Nodes, last)
		} else if last != nil {
			last.Location.Lines.Last = i + 1
		}
	}
	return s, nil
}

func ExampleMapper() {
	files := fstest.MapFS{"novel.txt": {Data: []byte("ONE\nIt rained.\n\nTWO\nIt stopped.\n")}}
	resolvers := modality.All()
	lib := citekit.New(workspace.NewMemory(files), resolvers, nil)
	defer lib.Close()
	ctx := context.Background()

	// The name stands in the maps. A new one has them made again.
	opts := &ingest.Options{Mapper: chapters{resolvers}, MapperName: "chapters/1"}
	report, err := ingest.Run(ctx, lib, []string{"novel.txt"}, opts)
	if err == nil {
		err = report.Err() // of sources that failed
	}
	if err != nil {
		log.Fatal(err)
	}
	m, err := lib.Map(ctx, "novel")
	if err != nil {
		log.Fatal(err)
	}
	for n := range m.All() {
		fmt.Println(n.ID, m.Address(n))
	}
	// Output:
	// one text://novel#lines=1-3
	// two text://novel#lines=4-5
}

// letters is a workspace of one's own: sources come from somewhere else, such
// as a database, and all other things are kept as the workspace that it wraps
// keeps them.
type letters struct {
	citekit.Workspace
	texts  map[string]string
	opened atomic.Int64
}

func (l *letters) OpenSource(_ context.Context, path string) (*citekit.Source, error) {
	words, ok := l.texts[path]
	if !ok {
		return nil, fmt.Errorf("no letter %q: %w", path, citekit.ErrForbidden)
	}
	l.opened.Add(1)
	// Without an Identity the source is known by its content.
	info := citekit.SourceInfo{Name: path, Size: int64(len(words))}
	return citekit.NewSource(bytes.NewReader([]byte(words)), info), nil
}

func ExampleWorkspace() {
	memory := workspace.NewMemory(nil)
	ws := &letters{Workspace: memory, texts: map[string]string{"1841-03.txt": "Dear Ada,\nit works.\n"}}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()

	e, err := lib.ResolveFile(context.Background(), "1841-03.txt", citekit.Text.Lines(2, 2), nil)
	if err != nil {
		log.Fatal(err)
	}
	content, err := memory.Evidence(e.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %q %t\n", e.Address, content, ws.opened.Load() > 0)

	_, err = lib.ResolveFile(context.Background(), "../secret", citekit.Location{}, nil)
	fmt.Println(citekit.CodeOf(err))
	// Output:
	// text://1841-03#lines=2-2 "it works.\n" true
	// FORBIDDEN
}
