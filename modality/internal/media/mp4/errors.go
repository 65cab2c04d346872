package mp4

import (
	"errors"
	"fmt"
)

// Errors of this package. Each is wrapped with the problem and its place.
// Errors match [errors.ErrUnsupported] if another tool might succeed, as
// [ErrFragmented] does.
var (
	// ErrFormat means the file is not an MP4 or QuickTime movie.
	ErrFormat = errors.New("not an MP4 or QuickTime movie")

	// ErrDamaged means boxes or tables are missing or cut short, or contradict
	// each other or the size of the file.
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

	// ErrTooLarge means the movie exceeds a limit of this package.
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
