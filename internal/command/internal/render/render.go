// Package render lays out evidence that has no pages of its own, such as blocks
// of a DOCX or cells of an XLSX, as PDF by the LibreOffice of this machine. The
// PDF is a picture of the evidence for people: LibreOffice chooses where lines
// and pages break, and addresses do not depend on them.
//
//	e, err := lib.Resolve(ctx, "contract", "section-3", nil)
//	pdf, err := render.PDF(ctx, lib, e)
package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/libreoffice"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// formats are the extensions of evidence that can be laid out.
var formats = []string{".docx", ".odt", ".xlsx", ".ods", ".pptx", ".odp", ".html", ".csv"}

// format is part of every key.
const format = "render/1"

var (
	finding sync.Mutex
	found   *libreoffice.Command
)

// find returns the LibreOffice of this machine. It looks for it until it is
// found.
func find(ctx context.Context) (*libreoffice.Command, error) {
	finding.Lock()
	defer finding.Unlock()
	if found == nil {
		office, err := libreoffice.Find(ctx)
		if err != nil {
			return nil, err
		}
		found = office
	}
	return found, nil
}

// PDF returns evidence as PDF. The PDF is kept in the workspace beside the
// evidence. Evidence that already is PDF is returned unchanged. The Changes of
// the result record that LibreOffice laid it out, and whether LibreOffice ran
// without a network.
//
// Errors match [errors.ErrUnsupported] if the evidence is of another format, if
// the workspace cannot open stored evidence, or LibreOffice is not installed;
// [citekit.ErrFormat] if it cannot read the evidence; [citekit.ErrTooLarge] if
// the PDF is too large; [os.ErrDeadlineExceeded] if it takes longer than ten
// minutes, or longer than that on a slow machine; and ctx.Err() once ctx is done.
func PDF(ctx context.Context, lib *citekit.Library, e *citekit.Evidence) (*citekit.Evidence, error) {
	ext := strings.ToLower(path.Ext(e.Name))
	if ext == ".pdf" {
		return e, nil
	}
	if !slices.Contains(formats, ext) {
		return nil, fmt.Errorf("evidence of %s cannot be laid out as PDF: %w", e.MediaType, errors.ErrUnsupported)
	}
	opener, ok := lib.Workspace().(citekit.EvidenceOpener)
	if !ok {
		return nil, fmt.Errorf("this workspace cannot open stored evidence, which the layout needs: %w", errors.ErrUnsupported)
	}
	office, err := find(ctx)
	if err != nil {
		return nil, err
	}
	version, err := office.Version(ctx)
	if err != nil {
		return nil, err
	}
	key := ctxio.HashParts(format, e.Key, e.SHA256, version)
	stored, err := lib.Workspace().FindEvidence(ctx, key)
	cached := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		stored, err = layOut(ctx, lib, opener, office, version, e, key, ext)
	}
	if err != nil {
		return nil, err
	}
	laid := *e
	laid.OutputPath, laid.Key, laid.Name, laid.Cached = stored.Path, key, stored.Name, cached
	laid.MediaType, laid.Charset, laid.CharsetGuessed = stored.MediaType, "", false
	laid.Size, laid.SHA256, laid.Changes = stored.Size, stored.SHA256, stored.Changes
	return &laid, nil
}

// layOut makes the PDF and stores it.
func layOut(ctx context.Context, lib *citekit.Library, opener citekit.EvidenceOpener, office *libreoffice.Command, version string, e *citekit.Evidence, key, ext string) (stored *citekit.StoredEvidence, err error) {
	content, _, err := opener.OpenEvidence(ctx, e.Key)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	how := "laid out by " + version + ", not by the program that made the source"
	if !office.Isolated() {
		how += "; it was told to use no network, which this system does not enforce"
	}
	err = office.PDF(ctx, content, ext, func(pdf io.Reader, size int64) error {
		meta := citekit.EvidenceMeta{
			Name: plain.EvidenceName(e.ResourceID, strings.TrimSuffix("pdf_"+e.Address.Fragment(), "_"), key, ".pdf"),
			Size: size, MediaType: "application/pdf", SourceHash: e.SourceHash,
			Changes: append([]string{how}, e.Changes[:min(len(e.Changes), message.MaxChanges-1)]...),
		}
		if e.Node != nil || e.ResourceID != "" {
			meta.Resource = e.ResourceID
		}
		stored, err = lib.Workspace().StoreEvidence(ctx, key, meta, pdf)
		return err
	})
	return stored, err
}
