package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/reanchor"
)

// failure returns the result that tells an agent what failed, the code of the
// error, and what to do about it.
func failure(tool string, err error) *mcp.CallToolResult {
	code := citekit.CodeOf(err)
	hint, _ := plain.ShowHidden(hintFor(tool, err, code))
	message := "Error: " + printable(explain(tool, err, code)) + "\nCode: " + string(code)
	meta := mcp.Meta{"code": string(code)}
	if hint != "" {
		message += "\nHint: " + hint
		meta["hint"] = hint
	}
	var moved reanchor.MovedError
	if errors.As(err, &moved) {
		message += "\nReanchored: " + moved.Sentence()
		meta["reanchored"] = moved.Place()
	}
	if errors.As(err, new(reanchor.UnplacedError)) {
		message += "\nReanchored: " + reanchor.Unplaced
	}
	var limited limitError
	if errors.As(err, &limited) {
		message += "\nDetails: " + limited.sentence()
		meta["details"] = limited
		if limited.fallback != nil {
			fallback := json.RawMessage(answer{data: limited.fallback}.visible().data)
			message += "\nFallback: " + string(fallback)
			meta["fallback"] = fallback
		}
	}
	return &mcp.CallToolResult{
		Meta:    meta,
		Content: []mcp.Content{&mcp.TextContent{Text: message}},
		IsError: true,
	}
}

// explain returns the message of err without details that only concern the
// server.
func explain(tool string, err error, code string) string {
	var missing *citekit.NotFoundError
	if errors.As(err, &missing) {
		return explainMissing(tool, missing)
	}
	var storage storageFault
	if errors.As(err, &storage) {
		return storage.StorageFault()
	}
	if code == message.CodeInternal {
		return "internal error"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return tool + " took too long"
	}
	message := err.Error()
	var resolve *citekit.ResolveError
	if errors.As(err, &resolve) {
		message = resolve.Err.Error()
		if address, err := resolve.Address.MarshalText(); err == nil && resolve.Node == "" {
			message = string(address) + ": " + message
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) && path.Path != "" {
		message = strings.ReplaceAll(message, path.Path, filepath.Base(path.Path))
	}
	return strings.TrimSuffix(message, ": "+citekit.ErrSyntax.Error()) // the code says that
}

// A storageFault is an error about a directory of the workspace, as package
// workspace returns it.
type storageFault interface{ StorageFault() string }

// A passingFault is one of a store that may answer again soon.
type passingFault interface {
	storageFault
	Temporary() bool
}

// An unknownPin is the error about an address with a version that is not known,
// as the Library returns it.
type unknownPin interface{ UnknownPin() }

// explainMissing words the error for a missing item as the tools always have:
// only getStructure names the place where the map should be.
func explainMissing(tool string, missing *citekit.NotFoundError) string {
	var text string
	switch {
	case missing.Kind != "resource" && missing.Kind != "node" && missing.Kind != "":
		text = fmt.Sprintf("%s '%s' not found.", strings.ToUpper(missing.Kind[:1])+missing.Kind[1:], plain.Shorten(missing.ID, maxShownID))
	case missing.Kind != "resource":
		text = fmt.Sprintf("Node '%s' not found.", plain.Shorten(missing.ID, maxShownID))
	case tool != "getStructure":
		text = fmt.Sprintf("Resource '%s' not found.", plain.Shorten(missing.ID, maxShownID))
	default:
		text = fmt.Sprintf("No map found for resource '%s'.", plain.Shorten(missing.ID, maxShownID))
		if missing.Want != "" {
			text += " Expected at: " + missing.Want
		}
	}
	if len(missing.Suggestions) > 0 {
		text = strings.TrimSuffix(text, ".") + ". D" + strings.TrimPrefix(message.DidYouMean(missing.ID, missing.Suggestions), "d")
	}
	return text
}

func hintFor(tool string, err error, code string) string {
	var missing *citekit.NotFoundError
	var input inputError
	var storage storageFault
	var passing passingFault
	var moved reanchor.MovedError
	var pin unknownPin
	var advised advisedError
	var foreign foreignError
	switch {
	case errors.As(err, &moved):
		return moved.Hint()
	case errors.As(err, &pin):
		return "getContents without v= gives what the source says."
	case errors.As(err, &advised) && errors.As(err, &missing) && missing.Kind == "node":
		return advised.advice + " getStructure shows the nodes."
	case errors.As(err, &advised) && missing != nil:
		return advised.advice + " listResources lists the resources."
	case errors.As(err, &advised):
		return advised.advice
	case errors.As(err, &missing) && missing.Kind == "resource":
		return "listResources lists the resources."
	case missing != nil && missing.Kind != "node" && missing.Kind != "":
		return "" // of another dialect, whose tools these are not
	case missing != nil:
		return placeNotNode(err, missing.ID) + "getStructure shows the nodes."
	case errors.As(err, &input):
		return "" // the message says what to correct
	case errors.As(err, new(noModelError)):
		return "Call again with type extractive. Abstractive answers need a model: citekit serve --model."
	case errors.As(err, &foreign) && foreign.isCall(code):
		return foreign.hint()
	case errors.Is(err, citekit.ErrFormat):
		return withAddress("resolve", err, "The source is damaged, protected or not in the expected format.")
	case errors.As(err, &passing) && passing.Temporary():
		return withAddress(tool, err, "The source is not at fault: call again in some seconds.")
	case errors.As(err, &storage):
		return withAddress(tool, err, "The source is not at fault: a person must give the server disk space or permission.")
	case errors.Is(err, citekit.ErrNotStored):
		return withAddress(tool, err, "The node is not at fault: the server may keep no more evidence. Try again in some minutes, or ask a person to raise its limit.")
	case errors.Is(err, fs.ErrPermission):
		return "The operating system does not let the server read the source; a person must give it permission."
	case errors.As(err, new(addressError)) && (code == message.CodeInvalidInput || code == message.CodeUnsupported):
		return "Correct the address, or resolve a node: getStructure shows the nodes."
	case code == message.CodeTooLarge && tool == "getContents":
		return "Raise max_tokens, or pass fewer addresses."
	case code == message.CodeTimeout && tool != "resolve":
		return "Texts and maps are read when they are first needed; call again, or allow more time."
	case code == message.CodeTooLarge && tool == "getStructure":
		return "Request a part: pass depth, node_id, or an empty cursor."
	case code == message.CodeTooLarge && tool != "resolve":
		return "Name a smaller part."
	}
	if errors.As(err, new(virtualError)) {
		switch code {
		case message.CodeUnsupported, message.CodeTooLarge:
			return "" // the message says all
		case message.CodeTimeout:
			return "Maps are read when they are first needed; call again."
		}
	}
	if tool == "resources/read" && code == message.CodeInvalidInput && errors.Is(err, citekit.ErrSyntax) || errors.Is(err, citekit.ErrRange) && tool == "resources/read" {
		return "Correct the URI."
	}
	return hints[code]
}

// A virtualError is the error of a resolve that wanted only the address.
type virtualError struct{ error }

func (e virtualError) Unwrap() error { return e.error }

// withAddress adds to a hint how to get an address at least, for a call that
// wanted evidence.
func withAddress(tool string, err error, hint string) string {
	if tool != "resolve" || errors.As(err, new(virtualError)) {
		return hint
	}
	return hint + " " + stillAddress
}

const stillAddress = "resolve with virtual true still gives the address."

// placeNotNode returns the address to use in place of the id of a node that is a
// place, such as "pages=77", or "".
func placeNotNode(err error, id string) string {
	fragment := strings.TrimPrefix(id, "#")
	loc, version, syntaxErr := citekit.ParseFragment(fragment)
	var failed *citekit.ResolveError
	if syntaxErr != nil || loc.Modality == "" || len(id) > maxShownID || !errors.As(err, &failed) {
		return ""
	}
	a := citekit.Address{Resource: failed.Address.Resource, Location: loc, Version: version}
	return isPlace(a.String()) + " "
}

// isPlace tells who passed a place as the id of a node what to pass.
func isPlace(address string) string {
	return "This is a place, not a node: pass address " + plain.Shorten(address, maxShownID) + " in place of both ids."
}

var hints = map[string]string{
	message.CodeNotFound:     "The map exists, but its source is missing; the source must be restored or mapped again.",
	message.CodeInvalidInput: "The map is wrong, not the call; the map must be corrected.",
	message.CodeTimeout:      "Try a smaller node, or virtual true.",
	message.CodeStale:        "The source has changed since it was mapped and must be mapped again before it is cited.",
	message.CodeUnsupported:  stillAddress,
	message.CodeForbidden:    "This server is not allowed to use it; a person must allow it, or correct the map.",
	message.CodeTooLarge:     "Try a smaller node, or virtual true.",
	message.CodeInternal:     "The server's log has more. Calling again may help.",
}

const (
	maxMessage = 2000 // bytes of an error message
	maxShownID = 300  // bytes of an id that was not found
)

// clip cuts a long message.
func clip(s string) string { return plain.Shorten(s, maxMessage) }

// printable returns s on one line and shortened, without characters that cannot be
// seen.
func printable(s string) string { return plain.ShowLine(s, maxMessage) }

// quote returns s in quotes, on one line and shortened.
func quote(s string) string {
	const most = 100
	return "'" + printable(plain.Shorten(s, most)) + "'"
}
