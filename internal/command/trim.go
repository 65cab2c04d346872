package command

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

// trim deletes evidence by age and size.
func (s *session) trim(ctx context.Context, flags pruneFlags) error {
	if flags.force {
		return usagef("prune", "flag --force is for maps, and none are deleted with --evidence-older-than or --evidence-max")
	}
	opened, err := s.workspace(nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	ws, ok := opened.(trimmer)
	if !ok {
		return s.needsDirectory("deleting evidence by age and size", "give the bucket a rule that lets evidence expire")
	}
	stop := s.spin(ctx, "looking through the evidence")
	done, err := ws.TrimEvidence(ctx, workspace.Trim{UnusedFor: time.Duration(flags.unused), MaxBytes: int64(flags.most), DryRun: flags.dryRun})
	stop()
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(done)
	}
	did := "deleted"
	if flags.dryRun {
		did = "would delete"
	}
	s.printf("%s %s, %s; %s left\n", did, message.Count(done.Files, "evidence file"), byteSize(done.Bytes), byteSize(done.Left))
	return nil
}

// An age is a flag for a duration, such as 30d or 12h.
type age time.Duration

func (a *age) Type() string { return "age" }

func (a *age) String() string { return "" }

func (a *age) Set(value string) error {
	bad := errors.New("write a time above 0, such as 30d, 12h or 45m")
	if days, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 32)
		if err != nil || n <= 0 || n > 36_500 {
			return bad
		}
		*a = age(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return bad
	}
	*a = age(d)
	return nil
}
