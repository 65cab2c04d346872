package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// A byteCount is a flag for a number of bytes, such as 500M.
type byteCount int64

func (c *byteCount) Type() string { return "size" }

func (c *byteCount) String() string { return "" }

func (c *byteCount) Set(value string) error {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(value), "B"), "I")
	shift := 0
	if n := len(number); n > 0 {
		if i := strings.IndexByte("KMGT", number[n-1]); i >= 0 {
			shift, number = 10*(i+1), number[:n-1]
		}
	}
	size, err := strconv.ParseInt(number, 10, 64)
	if err != nil || size <= 0 || size > math.MaxInt64>>shift {
		return errors.New("write a number of bytes above 0, or one with K, M, G or T for powers of 1024")
	}
	*c = byteCount(size << shift)
	return nil
}
