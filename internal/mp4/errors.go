package mp4

import (
	"errors"
	"fmt"
)

// Errors that callers tell apart. Each is wrapped with what was wrong and
// where. Whatever this package cannot do although another tool might matches
// [errors.ErrUnsupported], as [ErrFragmented] does.
var (
	// ErrFormat means the file is no MP4 or QuickTime movie at all.
	ErrFormat = errors.New("not an MP4 or QuickTime movie")

	// ErrDamaged means boxes or tables are missing, cut short or
	// contradict each other or the size of the file.
	ErrDamaged = errors.New("damaged movie")

	// ErrFragmented means the samples are described by movie fragments
	// (moof) and not by the movie box.
	ErrFragmented = fmt.Errorf("fragmented movie: %w", errors.ErrUnsupported)

	// ErrRange means the range is empty, reversed, negative or begins at
	// or after the end of the movie.
	ErrRange = errors.New("time range outside the movie")

	// ErrEmpty means that nothing starts in the range, such as a range
	// shorter than a frame or one inside an empty edit.
	ErrEmpty = errors.New("no frame or sound in the range")

	// ErrTooLarge means a limit of this package was met.
	ErrTooLarge = errors.New("movie too large")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

func tooLarge(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTooLarge}, args...)...)
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, errors.ErrUnsupported)...)
}
