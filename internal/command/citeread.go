package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/verify"
)

// maxForm is the largest input of citations, in bytes.
const maxForm = 64 << 20

// A placed citation is one entry of the JSON output for a citation that was read.
type placed struct {
	Text       string           `json:"text,omitempty"` // of the answer that rests on it
	Address    *citekit.Address `json:"address"`
	Title      string           `json:"title,omitempty"`
	Quote      string           `json:"quote,omitempty"`
	Class      verify.Class     `json:"class,omitempty"`
	Difference []verify.Change  `json:"difference,omitempty"`
	Error      *errorDetail     `json:"error,omitempty"`
}

// read reads citations from a file or the standard input and prints their places.
func (c *citer) read(ctx context.Context, args []string) error {
	data, err := c.input(args)
	if err != nil {
		return err
	}
	answer, err := formNamed(c.from).read(ctx, c, data)
	if err != nil {
		return err
	}
	all := make([]placed, 0, len(answer.Claims))
	failed := 0
	for _, claim := range answer.Claims {
		for i := range claim.Citations {
			p, err := c.locate(ctx, &claim.Citations[i])
			if err != nil {
				return err
			}
			p.Text = answer.Text[claim.Part.Start:claim.Part.End]
			if p.Error != nil {
				failed++
			}
			all = append(all, p)
		}
	}
	if err := c.printPlaced(all); err != nil || failed == 0 {
		return err
	}
	if c.json {
		return errReported
	}
	return fmt.Errorf("no place found for %d of %s", failed, message.Count(len(all), "citation"))
}

func (c *citer) printPlaced(all []placed) error {
	if c.json {
		return c.printJSON(map[string]any{"citations": all})
	}
	for _, p := range all {
		where, class := "-", cmp.Or(string(p.Class), "named")
		if p.Address != nil {
			where = p.Address.String()
		}
		if p.Error != nil && p.Class == "" {
			class = "-"
		}
		c.printf("%s\t%s\t%s\n", where, class, term.Line(message.Clip(cmp.Or(p.Quote, p.Title))))
		if p.Error != nil {
			c.warn(p.Error.Message)
		}
	}
	return nil
}

func (c *citer) input(args []string) ([]byte, error) {
	from := c.stdin
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return nil, err
		}
		defer file.Close()
		from = file
	}
	data, err := io.ReadAll(io.LimitReader(from, maxForm+1))
	if err == nil && len(data) > maxForm {
		err = fmt.Errorf("more than %d bytes of citations: %w", maxForm, citekit.ErrTooLarge)
	}
	return data, err
}

// locate finds the place of a citation: by its quote, else by its position, else by
// its address.
func (c *citer) locate(ctx context.Context, cited *citation.Citation) (placed, error) {
	p := placed{Title: cited.Work.Title, Quote: cited.Quote}
	err := c.name(ctx, cited)
	switch {
	case err != nil:
	case cited.Quote != "":
		err = c.locateQuote(ctx, cited, &p)
	case cited.Address.Resource == "":
		err = fmt.Errorf("%s is not a resource here, and has no quote to find it by: %w",
			message.Quote(cmp.Or(cited.Work.Title, cited.Work.Path)), fs.ErrNotExist)
	default:
		err = c.locateAddress(ctx, cited, &p)
	}
	if err != nil && ctx.Err() != nil {
		return p, ctx.Err()
	}
	if err != nil {
		p.Error = detail(err)
	}
	return p, nil
}

// name finds the resource of a citation that gives only a title or a file name.
func (c *citer) name(ctx context.Context, cited *citation.Citation) error {
	if cited.Address.Resource != "" {
		return nil
	}
	for _, word := range []string{cited.Work.Title, cited.Work.Path} {
		if word == "" || len(word) > 1<<12 {
			continue
		}
		id := word
		if !hasMap(ctx, c.Library, id) {
			ids, err := resourcesWithSource(ctx, c.Library, path.Base(filepath.ToSlash(word)))
			if err != nil || len(ids) != 1 {
				continue
			}
			id = ids[0]
		}
		m, err := c.Map(ctx, id)
		if err != nil {
			return err
		}
		whole := m.Address(nil)
		cited.Address.Resource = id
		if loc := cited.Address.Location; loc.Modality != whole.Location.Modality && loc.Member == "" {
			cited.Address.Location = whole.Location
		}
		return nil
	}
	return nil
}

// locateQuote looks for the quote at its address, or in all resources if it has
// none.
func (c *citer) locateQuote(ctx context.Context, cited *citation.Citation, p *placed) error {
	req := verify.Request{Quote: cited.Quote, Address: cited.Address}
	if req.Address.Resource == "" {
		req.Address = citekit.Address{}
	}
	v, err := c.Verifier.Quote(ctx, req)
	if err != nil {
		return err
	}
	p.Class, p.Difference = v.Class, v.Difference
	if v.Address.Resource != "" {
		p.Address = &v.Address
	}
	switch {
	case v.Problem != nil:
		return v.Problem
	case v.Stale:
		return &citekit.ResolveError{Op: "cite", Address: v.Address, Err: citekit.ErrStale}
	case v.Class == verify.Altered:
		return fmt.Errorf("%s is altered; %s has %s", message.Quote(cited.Quote), v.Address, message.Quote(v.Text))
	case v.Class == verify.NotFound:
		return fmt.Errorf("%s is in no resource: %w", message.Quote(cited.Quote), fs.ErrNotExist)
	}
	return nil
}

// locateAddress checks an address. It narrows the address of a whole resource to the
// position in its text.
func (c *citer) locateAddress(ctx context.Context, cited *citation.Citation, p *placed) error {
	part, err := lookup.Find(ctx, c.Library, cited.Address.String())
	if err != nil {
		return err
	}
	err = lookup.CheckPlace(part.Map, cited.Address)
	asNamed := cited.Position.IsZero() || !cited.Address.Location.IsWhole()
	if err == nil && asNamed {
		err = lookup.CheckEnd(ctx, c.Library, cited.Address)
	}
	if err != nil {
		return &citekit.ResolveError{Op: "cite", Address: cited.Address, Err: err}
	}
	if asNamed {
		p.Address = &cited.Address
		return nil
	}
	layer, err := c.Layers.Open(ctx, cited.Address.Resource)
	if err != nil {
		return err
	}
	defer layer.Close()
	bytes, err := cited.Position.Bytes(layer)
	if err != nil {
		return err
	}
	if cited.Address.Location, err = layer.Location(bytes.Start, bytes.End); err == nil {
		p.Address = &cited.Address
	}
	return err
}
