package oidc

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/citekit/citekit/access"
)

// A Rule is what a scope allows: each of its names works like a scope of the form
// citekit:…. A rule with workspaces narrows what its token may use in all its
// workspaces. If several such rules differ, only what all of them allow remains.
type Rule struct {
	Workspaces      []string // that may be seen
	Toolsets, Tools []string // the only ones that may be used; nil means all
	ReadOnly        bool     // tools that write may not be used
}

func (r Rule) check() error {
	for _, list := range [][]string{r.Workspaces, r.Toolsets, r.Tools} {
		if slices.Contains(list, "") {
			return errors.New("one of its names is empty")
		}
	}
	if len(r.Workspaces)+len(r.Toolsets)+len(r.Tools) == 0 && !r.ReadOnly {
		return errors.New("its rule is empty")
	}
	return nil
}

// The prefixes of scopes whose names state what they allow.
const (
	workspaceScope = "citekit:workspace:"
	toolsetScope   = "citekit:toolset:"
	toolsScope     = "citekit:tools:"
	readOnlyScope  = "citekit:read-only"
)

// ruleOf returns what a scope allows. An unknown scope, or one without a name,
// allows nothing.
func (a *Authenticator) ruleOf(scope string) Rule {
	if rule, ok := a.opts.Scopes[scope]; ok {
		return rule
	}
	if scope == readOnlyScope {
		return Rule{ReadOnly: true}
	}
	for prefix, rule := range map[string]func(string) Rule{
		workspaceScope: func(name string) Rule { return Rule{Workspaces: []string{name}} },
		toolsetScope:   func(name string) Rule { return Rule{Toolsets: []string{name}} },
		toolsScope:     func(name string) Rule { return Rule{Tools: []string{name}} },
	} {
		if name, ok := strings.CutPrefix(scope, prefix); ok && name != "" {
			return rule(name)
		}
	}
	return Rule{}
}

// scopes returns the scopes of a token.
func (a *Authenticator) scopes(c claims) []string {
	name := a.opts.ScopeClaim
	switch {
	case name == "" && c["scope"] != nil:
		return c.list("scope")
	case name == "":
		return c.list("scp")
	case c[name] != nil:
		return c.list(name)
	}
	outer, rest, nested := strings.Cut(name, ".")
	for nested {
		var within claims
		if json.Unmarshal(c[outer], &within) != nil {
			return nil
		}
		if c = within; c[rest] != nil {
			return c.list(rest)
		}
		outer, rest, nested = strings.Cut(rest, ".")
	}
	return nil
}

// apply adds the rights of scopes to a grant.
func (a *Authenticator) apply(grant *access.Grant, scopes []string) {
	var toolsets, tools allowance
	for _, scope := range scopes {
		rule := a.ruleOf(scope)
		for _, name := range rule.Workspaces {
			if !grant.Has(name) {
				grant.Workspaces = append(grant.Workspaces, name)
			}
		}
		gives := len(rule.Workspaces) > 0
		toolsets.add(rule.Toolsets, gives)
		tools.add(rule.Tools, gives)
		grant.ReadOnly = grant.ReadOnly || rule.ReadOnly
	}
	grant.Toolsets, grant.Tools = toolsets.names(), tools.names()
}

// An allowance combines what the rules of a token allow, for toolsets or for
// tools. A nil list means all.
type allowance struct {
	scoped []string // what the rules without workspaces allow together
	given  []string // what every rule with workspaces allows
}

// everything is the toolset with all tools.
const everything = "all"

func (n *allowance) add(names []string, givesWorkspaces bool) {
	switch {
	case len(names) == 0 || slices.Contains(names, everything) && givesWorkspaces:
	case !givesWorkspaces:
		n.scoped = append(n.scoped, names...)
	default:
		n.given = both(n.given, names)
	}
}

// names returns the result: nil means all, an empty list none.
func (n *allowance) names() []string {
	if slices.Contains(n.scoped, everything) {
		n.scoped = nil
	}
	if n.scoped == nil {
		return n.given
	}
	return both(n.given, n.scoped)
}

// both returns the names in both lists. A nil first list contains everything.
func both(a, b []string) []string {
	left := []string{}
	for _, name := range b {
		if (a == nil || slices.Contains(a, name)) && !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	return left
}
