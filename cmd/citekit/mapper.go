package main

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
)

// mapperFlags choose who makes the maps.
type mapperFlags struct {
	name string
}

func (m *mapperFlags) register(f *flagSet) {
}

// open returns the mapper and its name, or nil for the built-in ones.
func (m *mapperFlags) open(flags *ingestFlags) (citekit.Mapper, string, error) {
	return nil, "", nil
}

// resolversFor returns the resolvers with the settings that the flags ask for.
func resolversFor(flags *ingestFlags) citekit.Resolvers {
	return modality.All()
}
