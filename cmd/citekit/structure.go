package main

import "context"

func structureCommand() *command {
	return &command{
		name:    "structure",
		maps:    anyMaps,
		args:    "<resource>",
		summary: "Print the map of a resource as JSON",
		about:   `Prints the whole map as JSON, with or without --json.`,
		example: []string{"citekit structure book", "citekit structure book | jq '.nodes[].id'"},
		minArgs: 1, maxArgs: 1,
		run: func(ctx context.Context, s *session, args []string) error {
			lib, err := s.open()
			if err != nil {
				return err
			}
			defer lib.Close()
			ids, err := s.resources(ctx, lib, args)
			if err != nil {
				return err
			}
			m, err := lib.Map(ctx, ids[0])
			if err != nil {
				return adviseResource(ctx, lib, err, args[0])
			}
			return s.printJSON(m)
		},
	}
}
