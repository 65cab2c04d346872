// Customresolver cites rows of CSV files: a resolver of one's own in place of
// the built-in one for text, for which a line inside a quoted field would be
// a line of its own.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// rows resolves lines=2-3 of a CSV file to its second and third row, the
// header being the first.
type rows struct{}

func (rows) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Extract, error) {
	lines := req.Location.Lines
	if other := req.Location; other.Modality != citekit.Text || lines.IsZero() && !other.IsWhole() {
		return nil, fmt.Errorf("rows have only lines: %w", errors.ErrUnsupported)
	}
	start, end, row := int64(0), src.Size(), 0
	for reader := csv.NewReader(src.Reader()); row < lines.Last && ctx.Err() == nil; row++ {
		if row+1 == lines.First {
			start = reader.InputOffset()
		}
		if _, err := reader.Read(); err == io.EOF {
			return nil, fmt.Errorf("row %d of %d: %w", lines.Last, row, citekit.ErrRange)
		} else if err != nil {
			return nil, fmt.Errorf("%v: %w", err, citekit.ErrFormat)
		}
		end = reader.InputOffset()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &citekit.Extract{
		Body:      io.NopCloser(io.NewSectionReader(src, start, end-start)),
		Size:      end - start,
		MediaType: "text/csv",
		Ext:       ".csv",
	}, nil
}

func main() {
	files := workspace.NewMemory(nil)
	files.AddSource("ships.csv", []byte("name,remark\nAda,\"late,\nbut whole\"\nBea,\nCleo,early\n"))
	resolvers := modality.All()
	resolvers[citekit.Text] = rows{}
	lib := citekit.New(files, resolvers, nil)
	defer lib.Close()

	for _, lines := range []citekit.Range{{First: 2, Last: 3}, {First: 5, Last: 5}} {
		location := citekit.Location{Modality: citekit.Text, Lines: lines}
		evidence, err := lib.ResolveFile(context.Background(), "ships.csv", location, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		content, err := files.Evidence(evidence.OutputPath)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n%s", evidence.Address, content)
	}
}
