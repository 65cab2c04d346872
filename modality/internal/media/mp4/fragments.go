package mp4

import "io"

// Limits on fragments. A file that exceeds the maximum of a kind and is below
// its minimum average size was made to cost much. A silent AAC frame has at
// least 4 bytes.
const (
	mostSamples    = 1 << 16
	leastSample    = 4 // bytes on average
	mostFragments  = 20_000
	leastFragment  = 128 // bytes on average
	maxFragmentBox = 16 << 20
)

// CheckFragments walks the fragments of a file of size bytes and counts the
// samples in their tables. It is for callers that let another program read the
// file. Errors match [ErrTooLarge] if there are more samples or fragments than
// the bytes can plausibly hold. Parts that cannot be read are ignored.
func CheckFragments(r io.ReaderAt, size int64) error {
	var header [16]byte
	samples, fragments := uint64(0), int64(0)
	for at := int64(0); ; {
		kind, length, content, err := boxHeader(r, at, size, &header)
		if err != nil {
			return nil
		}
		if kind == "moof" {
			if length > maxFragmentBox {
				return tooLarge("fragment header (moof) of %d bytes; at most %d", length, maxFragmentBox)
			}
			b, err := read(r, at+content, length-content)
			if err != nil {
				return nil
			}
			fragments++
			samples += samplesOf(b)
		}
		if samples > mostSamples && samples > uint64(size/leastSample) {
			return tooLarge("fragments list %d samples or more in a file of %d bytes; at least %d bytes each are needed", samples, size, leastSample)
		}
		if at += length; fragments > mostFragments && at/fragments < leastFragment {
			return tooLarge("%d fragments in %d bytes; at least %d bytes each are needed", fragments, at, leastFragment)
		}
	}
}

// samplesOf counts the samples listed in the runs (trun) of a fragment.
func samplesOf(moof []byte) (n uint64) {
	for traf := range boxes(moof) {
		if traf.kind != "traf" {
			continue
		}
		for run := range boxes(traf.data) {
			if run.kind == "trun" && len(run.data) >= 8 {
				n += uint64(be.Uint32(run.data[4:]))
			}
		}
	}
	return n
}
