package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

func (a *adapter) resolve(ctx context.Context, args arguments) (answer, error) {
	opts := &citekit.ResolveOptions{Virtual: args.flag("virtual") || a.readOnly(ctx), Mode: citekit.Mode(args.text("mode"))}
	evidence, err := a.evidence(ctx, args, opts)
	if err != nil && opts.Virtual {
		return answer{}, virtualError{err}
	}
	if err != nil {
		return answer{}, a.withAddress(ctx, args, err)
	}
	data, file, err := a.encodeEvidence(ctx, evidence)
	if err == nil && a.readOnly(ctx) && !args.flag("virtual") {
		data = a.hintNoFile(ctx, data)
	}
	if err != nil || len(args.texts("include")) == 0 {
		return answer{data: data, more: file}, err
	}
	shown, err := a.shown(ctx, evidence.Address, data, args)
	shown.more = append(file, shown.more...)
	return shown, err
}

// hintNoFile adds to evidence why it has no file, though one was asked for.
func (a *adapter) hintNoFile(ctx context.Context, data json.RawMessage) json.RawMessage {
	hint := "no file and no link: this caller may only read"
	if a.hasTool(ctx, "getContents") {
		hint += "; getContents has the text"
	}
	return withHint(data, hint)
}

func (a *adapter) evidence(ctx context.Context, args arguments, opts *citekit.ResolveOptions) (*citekit.Evidence, error) {
	if a.namesNode(ctx, args) {
		return a.resolveNode(ctx, args, opts)
	}
	if args.text("address") != "" {
		return a.resolveAddress(ctx, args, opts)
	}
	return a.resolveNode(ctx, args, opts)
}

// fallbackContext returns the context in which a call that timed out finds what is
// known without its sources: that reads some maps, and hashes little. Its end only
// frees a call whose storage hangs.
func fallbackContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctxio.WithHashLimit(context.WithoutCancel(ctx), maxFallbackBytes), defaultTimeout)
}

// maxFallbackBytes is how many bytes of sources are hashed for a fallback.
const maxFallbackBytes = 16 << 20

// withAddress returns the error of a resolve that timed out, together with what
// is known without opening the source.
func (a *adapter) withAddress(ctx context.Context, args arguments, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	ctx, cancel := fallbackContext(ctx)
	defer cancel()
	evidence, virtualErr := a.evidence(ctx, args, &citekit.ResolveOptions{Virtual: true})
	if virtualErr != nil {
		return err
	}
	known, virtualErr := strictjson.Compact(evidence.MarshalJSON())
	if virtualErr != nil {
		return err
	}
	return partialError{err, known}
}

func (a *adapter) resolveNode(ctx context.Context, args arguments, opts *citekit.ResolveOptions) (*citekit.Evidence, error) {
	for _, name := range []string{"resource_id", "node_id"} {
		if !args.has(name) {
			return nil, badArgument("argument '%s' is missing; give resource_id and node_id, or address%s", name, a.wholeOf(ctx, args.text("resource_id")))
		}
	}
	return a.lib.Resolve(ctx, args.text("resource_id"), args.text("node_id"), opts)
}

// wholeOf returns the end of a message about a missing node: the address of the
// whole resource. It is "" if there is no such resource.
func (a *adapter) wholeOf(ctx context.Context, resource string) string {
	m, err := a.lib.Map(ctx, resource)
	if err != nil {
		return ""
	}
	return "; address " + plain.Shorten(m.Address(nil).String(), maxShownID) + " gives the whole resource"
}

// resolveAddress resolves an address. The arguments may also give the id of its
// resource.
func (a *adapter) resolveAddress(ctx context.Context, args arguments, opts *citekit.ResolveOptions) (*citekit.Evidence, error) {
	address, err := a.addressOf(ctx, args)
	if err != nil {
		return nil, err
	}
	evidence, err := a.lib.ResolveAddress(ctx, address, opts)
	if err != nil {
		return nil, addressError{err}
	}
	return evidence, nil
}

// An addressError reports an address that was parsed but cannot be resolved.
type addressError struct{ error }

func (e addressError) Unwrap() error { return e.error }
