// Package pdf is for programs that read no other documents than PDF. It links half of the
// modules that package document needs:
//
//	resolvers := citekit.Resolvers{citekit.Document: new(pdf.Resolver), citekit.Text: new(text.Resolver)}
package pdf

import "github.com/citekit/citekit/modality/document/internal/pdf"

// A Resolver resolves pages of PDF, and boxes and cells on them. Its zero value is ready
// to use; it is safe for concurrent use and must not be copied after first use. It is the
// type document.PDF of package document, which describes its fields.
type Resolver = pdf.Resolver
