package command

import (
	"github.com/spf13/cobra"
)

func structureCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:         "structure <resource>",
		Annotations: anyMaps,
		Short:       "Print the map of a resource as JSON",
		Long:        `Prints the whole map as JSON, with or without --json.`,
		Example:     lines("citekit structure book", "citekit structure book | jq '.nodes[].id'"),
		Args:        between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
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
