package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	const bsd = "Redistribution and use in source and binary\nforms, with or without modification, are permitted"
	for _, test := range []struct {
		text string
		want []string
	}{
		{"Permission is hereby granted, free of charge, to any\nperson obtaining a copy", []string{"MIT"}},
		{"    Apache License\n  Version 2.0, January 2004", []string{"Apache-2.0"}},
		{bsd, []string{"BSD-2-Clause"}},
		{bsd + "\n * Neither the name of Google Inc. nor", []string{"BSD-3-Clause"}},
		{"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee is hereby granted, provided that the above\ncopyright notice", []string{"ISC"}},
		{"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.", []string{"0BSD"}},
		{"Mozilla Public License Version 2.0 ... GNU General Public License", []string{"MPL-2.0"}},
		{"Apache License Version 2.0, January 2004 ... Permission is hereby granted, free of charge, to any person obtaining a copy", []string{"Apache-2.0", "MIT"}},
		{"GNU Lesser General Public License, or " + bsd, nil},
		{"All rights reserved.", nil},
	} {
		if got := identify(test.text); !slices.Equal(got, test.want) {
			t.Errorf("identify(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

func TestLicenceIn(t *testing.T) {
	dir := t.TempDir()
	if _, err := licenceIn(dir); err == nil || !strings.Contains(err.Error(), "no file LICENSE") {
		t.Errorf("without a file: %v", err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("COPYING", "Do what you like.")
	if _, err := licenceIn(dir); err == nil || !strings.Contains(err.Error(), "none of those that are known") {
		t.Errorf("with an unknown one: %v", err)
	}
	write("LICENSE.md", "Permission is hereby granted, free of charge, to any person obtaining a copy")
	if got, err := licenceIn(dir); got != "MIT" || err != nil {
		t.Errorf("with one that is known: %q, %v", got, err)
	}
}
