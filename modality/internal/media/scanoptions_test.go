package media

import "testing"

// TestScanOptionsOfSmallPictures has pictures that are not worth several threads.
func TestScanOptionsOfSmallPictures(t *testing.T) {
	for _, test := range []struct {
		width, height int
		threads       string
	}{{16, 16, "1"}, {64, 48, "1"}, {320, 240, "1"}, {322, 240, ""}, {1920, 1080, ""}} {
		o := scanOptions(test.width, test.height)
		if o["threads"] != test.threads || o["filter_threads"] != test.threads {
			t.Errorf("%d x %d: threads %q, filter_threads %q, want %q", test.width, test.height, o["threads"], o["filter_threads"], test.threads)
		}
	}
}
