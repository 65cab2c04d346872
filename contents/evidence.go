package contents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/citekit/citekit"
)

// EvidenceBytes are the bytes of stored evidence.
type EvidenceBytes struct {
	Evidence *citekit.Evidence
	Stored   *citekit.StoredEvidence // nil if Data was not read
	Data     []byte
}

// maxTries is how often evidence is made that is gone before it is read.
const maxTries = 3

// errEvidenceLost reports evidence that is gone, or seems to be written to, as a
// process that starts may have it open for a moment. It is made again.
var errEvidenceLost = fmt.Errorf("the evidence is gone; ask again: %w", fs.ErrNotExist)

// ReadEvidence resolves an address and reads the evidence into memory. Of evidence that has
// more than most bytes it returns all but the bytes, and an error that matches
// [citekit.ErrTooLarge]. It reads none if it is virtual or the workspace is no
// [citekit.EvidenceOpener]; Stored is then nil. Other errors are those of
// [citekit.Library.ResolveAddress] and of the workspace.
func ReadEvidence(ctx context.Context, lib *citekit.Library, address citekit.Address, most int64, opts *citekit.ResolveOptions) (EvidenceBytes, error) {
	for tries := 1; ; tries++ {
		read, err := readEvidence(ctx, lib, address, most, opts)
		if errors.Is(err, errEvidenceLost) && tries < maxTries {
			continue
		}
		return read, err
	}
}

func readEvidence(ctx context.Context, lib *citekit.Library, address citekit.Address, most int64, opts *citekit.ResolveOptions) (EvidenceBytes, error) {
	evidence, err := lib.ResolveAddress(ctx, address, opts)
	if err != nil {
		return EvidenceBytes{}, err
	}
	opener, ok := lib.Workspace().(citekit.EvidenceOpener)
	switch {
	case !ok || evidence.Key == "":
		return EvidenceBytes{Evidence: evidence}, nil
	case evidence.Size > most:
		return EvidenceBytes{Evidence: evidence}, fmt.Errorf("the evidence has more than %d bytes: %w", most, citekit.ErrTooLarge)
	}
	content, stored, err := opener.OpenEvidence(ctx, evidence.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return EvidenceBytes{}, errEvidenceLost
	}
	if err != nil {
		return EvidenceBytes{}, err
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, most+1))
	if err != nil {
		return EvidenceBytes{}, err
	}
	if int64(len(data)) != stored.Size {
		return EvidenceBytes{}, fmt.Errorf("evidence should have %d bytes but has %d", stored.Size, len(data))
	}
	return EvidenceBytes{evidence, stored, data}, nil
}

// ReadOne reads the text at an address within some tokens, beside evidence that exists. It
// returns the cursor for the rest, "" at the end. If there is no room or no time for the
// text, the item says so in its note, and some of it is missing. The error is that of an
// invalid address, or as of [Reader.Read].
func (r *Reader) ReadOne(ctx context.Context, address citekit.Address, tokens int) (item *Item, next string, err error) {
	read, err := r.Read(ctx, Request{IDs: []string{address.String()}, Visible: true, MaxTokens: tokens})
	switch {
	case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil && (err != nil || read.Items[0].Err != nil):
		return &Item{Address: address, Note: "there was no time to read it", Missing: true}, "", nil
	case errors.Is(err, citekit.ErrTooLarge):
		return &Item{Address: address, Note: "it does not fit within max_tokens", Missing: true}, "", nil
	case err != nil:
		return nil, "", err
	}
	return read.Items[0], read.NextCursor, nil
}
