package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// phrases are what the licences say that modules of this project may have, by
// their identifiers of SPDX. Of several, all count.
var phrases = []struct{ id, has, hasNot string }{
	{"0BSD", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.", "provided that the above copyright notice"},
	{"Apache-2.0", "apache license version 2.0, january 2004", ""},
	{"Apache-2.0", "licensed under the apache license, version 2.0", ""},
	{"BSD-2-Clause", "redistribution and use in source and binary forms", "neither the name"},
	{"BSD-3-Clause", "neither the name", ""},
	{"ISC", "purpose with or without fee is hereby granted, provided that the above copyright notice", ""},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy", ""},
	{"MPL-2.0", "mozilla public license version 2.0", ""},
}

// licenceIn returns the licence of the module in a folder, as an expression of
// SPDX. The error says that there is none, or none that is known.
func licenceIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	found := false
	var ids []string
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		found = true
		for _, id := range identify(string(text)) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	switch {
	case !found:
		return "", errors.New("the module has no file LICENSE or COPYING")
	case ids == nil:
		return "", errors.New("the licence is none of those that are known: read it, and add it to internal/tool/sbom/licence.go if it may be used")
	}
	slices.Sort(ids)
	return strings.Join(ids, " AND "), nil
}

// identify returns the identifiers of the licences in a text; none if the text
// speaks of the GNU licences, which MPL-2.0 does too.
func identify(text string) (ids []string) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if strings.Contains(text, "general public license") && !strings.Contains(text, "mozilla public license version 2.0") {
		return nil
	}
	for _, p := range phrases {
		if strings.Contains(text, p.has) && (p.hasNot == "" || !strings.Contains(text, p.hasNot)) && !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	return ids
}
