package mcpadapter

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/verify"
)

// maxVerified bounds the text of a call of verify, in bytes.
const maxVerified = 1 << 20

func (a *adapter) verifyTool() tool {
	return tool{
		name:  "verify",
		title: "Verify quotes",
		description: "Check whether a quote, or instead all that a text with addresses cites, is in the sources: " +
			"exact, repaired, elsewhere, altered, not_found, unchecked, or unquoted: other words; only their address was checked. holds is then true. left_out counts resources that changed or are unreadable.",
		parameters: []parameter{
			{name: "quote", kind: text, longest: verify.MaxQuote},
			{name: "address", kind: text, description: "Where the quote is; or give resource_id."},
			{name: "resource_id", kind: text},
			{name: "text", kind: text, longest: maxVerified},
			{name: "strict", kind: flag, description: "Claims must be verbatim."},
			timeLimit,
		},
		output:  object([]string{"holds", "verdicts"}, typed("holds", "", "Null: nothing was checked.")),
		long:    true,
		timeout: defaultTimeout,
		call:    a.verify,
	}
}

func (a *adapter) verify(ctx context.Context, args arguments) (answer, error) {
	if args.has("quote") == args.has("text") {
		return answer{}, badArgument("give either quote or text")
	}
	if args.has("text") {
		return a.verifyText(ctx, args)
	}
	address, err := a.citedPlace(ctx, args)
	if err != nil {
		return answer{}, err
	}
	verdict, err := a.opts.Verifier.Quote(ctx, verify.Request{Quote: args.text("quote"), Address: address, Boxes: true})
	if err != nil {
		return answer{}, asArgument(err)
	}
	a.readableProblem(ctx, verdict)
	data, err := json.Marshal(struct {
		Holds    bool              `json:"holds"`
		Verdicts []*verify.Verdict `json:"verdicts"`
	}{verdict.Holds(), []*verify.Verdict{verdict}})
	return answer{data: withHint(data, cmp.Or(a.noMaps(ctx), a.staleHint(ctx, verdict)))}, err
}

func (a *adapter) verifyText(ctx context.Context, args arguments) (answer, error) {
	if args.has("address") || args.has("resource_id") {
		return answer{}, badArgument("address and resource_id are for a quote; leave them out, as a text has its addresses in it")
	}
	report, err := a.opts.Verifier.Text(ctx, args.text("text"), &verify.TextOptions{Strict: args.flag("strict")})
	if err != nil {
		return answer{}, asArgument(err)
	}
	verdicts := make([]*verify.Verdict, 0, len(report.Entries))
	for _, e := range report.Entries {
		verdicts = append(verdicts, &e.Verdict)
		a.readableProblem(ctx, &e.Verdict)
	}
	data, err := report.MarshalJSON()
	return answer{data: withHint(data, cmp.Or(a.noMaps(ctx), a.staleHint(ctx, verdicts...)))}, err
}

// citedPlace returns the place that a quote is cited from; zero if it is not
// given.
func (a *adapter) citedPlace(ctx context.Context, args arguments) (citekit.Address, error) {
	id := args.text("resource_id")
	if named, err := lookup.Resource(ctx, a.lib, id); id != "" && err == nil {
		id = named
	}
	if args.text("address") == "" {
		return citekit.Address{Resource: id}, nil
	}
	address, err := parseAddress(ctx, a.lib, args.text("address"))
	if err != nil {
		return address, err
	}
	if id != "" && id != address.Resource {
		return address, badArgument("resource_id %s does not match the address; give one of them", quote(id))
	}
	return address, nil
}

// readableProblem gives the problem of a source the wording of the tools.
func (a *adapter) readableProblem(ctx context.Context, v *verify.Verdict) {
	if v.Problem != nil {
		v.Problem = wordedError{a.advise(ctx, v.Problem)}
	}
}
