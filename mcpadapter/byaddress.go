package mcpadapter

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/relations"
)

// placeOf returns the resource and the node that arguments name by their ids or
// by an address. The node is nil if they name a whole resource. An address of a
// part stands for the smallest node that holds the part.
func (a *adapter) placeOf(ctx context.Context, args arguments) (resource string, node *string, err error) {
	if a.namesNode(ctx, args) || args.text("address") == "" {
		if !args.has("resource_id") {
			return "", nil, badArgument("argument 'resource_id' is missing; give it or an address")
		}
		if args.has("node_id") {
			id := args.text("node_id")
			node = &id
		}
		return args.text("resource_id"), node, nil
	}
	address, err := a.addressOf(ctx, args)
	if err != nil {
		return "", nil, err
	}
	m, err := a.lib.Map(ctx, address.Resource)
	if err != nil {
		return "", nil, err
	}
	n := relations.NodeAt(m, address.Location)
	switch {
	case n != nil:
		return address.Resource, &n.ID, nil
	case address.Location.Modality != m.Type && m.Type != citekit.Virtual && address.Location.Member == "":
		return "", nil, address.Mismatch(m.Type)
	case !address.Location.IsWhole():
		return "", nil, badArgument("no node of %s contains all of %s; %sgetStructure shows its nodes",
			quote(address.Resource), quote(address.String()), a.readers(ctx))
	}
	return address.Resource, nil, nil
}

// namesNode reports whether the argument address is a node, as resource.node. It
// then puts the two ids in its place.
func (a *adapter) namesNode(ctx context.Context, args arguments) bool {
	text := args.text("address")
	if text == "" || strings.ContainsAny(text, "#/") || args.text("node_id") != "" {
		return false
	}
	part, err := lookup.Find(ctx, a.lib, text)
	if err != nil || part.Node == nil {
		return false
	}
	if id := args.text("resource_id"); id != "" && id != part.Map.ResourceID {
		return false
	}
	args["resource_id"], args["node_id"] = part.Map.ResourceID, part.Node.ID
	delete(args, "address")
	return true
}

// readers says which tools take the address of a part that is no node.
func (a *adapter) readers(ctx context.Context) string {
	var names []string
	for _, tool := range []string{"getContents", "resolve"} {
		if a.hasTool(ctx, tool) {
			names = append(names, tool)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "pass the address to " + strings.Join(names, " or ") + " for the part itself, and "
}

// addressOf returns the address that arguments give instead of ids. They may also
// give the id of its resource.
func (a *adapter) addressOf(ctx context.Context, args arguments) (citekit.Address, error) {
	address, err := parseAddress(ctx, a.lib, args.text("address"))
	if err != nil {
		return address, err
	}
	if args.text("node_id") != "" {
		return address, badArgument("give node_id or address, not both")
	}
	if id := args.text("resource_id"); id != "" && id != address.Resource {
		return address, badArgument("the address is in resource %s, but resource_id is %s; give one of them", quote(address.Resource), quote(id))
	}
	return address, nil
}

// readPath puts the id of a resource in place of the path or the name of its source,
// and reports whether there was one.
func (a *adapter) readPath(ctx context.Context, t tool, args arguments) bool {
	name := args.text("resource_id")
	if name == "" || t.adds {
		return false
	}
	id, err := lookup.Resource(ctx, a.lib, name)
	if err != nil || id == name {
		return false
	}
	args["resource_id"] = id
	return true
}

// fromRoots makes absolute paths and file URLs in arguments relative to the base
// directory, as maps have them, for callers on this machine.
func (a *adapter) fromRoots(ctx context.Context, args arguments) {
	ws, ok := a.lib.Workspace().(interface{ RootPaths() []string })
	if !ok || mcpcall.CallerFrom(ctx) != nil {
		return
	}
	for _, name := range []string{"resource_id", "address"} {
		if args.has(name) {
			args[name] = lookup.FromRoot(ws.RootPaths(), args.text(name))
		}
	}
	for i, text := range args.texts("addresses") {
		args.texts("addresses")[i] = lookup.FromRoot(ws.RootPaths(), text)
	}
}

// parseAddress parses an address. It also takes the id of a resource, the path of a
// source or resource.node, perhaps with a fragment. If the only fault is that its
// resource has another modality, the error gives the right address.
func parseAddress(ctx context.Context, lib *citekit.Library, text string) (citekit.Address, error) {
	address, err := citekit.ParseAddress(text)
	if err == nil {
		return address, nil
	}
	if !strings.Contains(text, "://") {
		if part, findErr := lookup.Find(ctx, lib, text); findErr == nil {
			return part.Address, nil
		}
	}
	parseErr := err
	switch err = lookup.WithMeant(ctx, lib, text, err); {
	case errors.Is(err, errors.ErrUnsupported):
		return address, addressError{err}
	case err == parseErr && (strings.HasPrefix(text, "/") || filepath.IsAbs(text)):
		return address, badArgument("%s is a file of which no resource is made; listResources lists the resources", quote(text))
	}
	return address, inputError(withoutSyntax(err))
}
