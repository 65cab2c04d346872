package command

import (
	"encoding/binary"
	"testing"
)

// TestTimeThatIsEverything checks that t=0- is the whole of what has a time, however it
// is named, and an error for all else.
func TestTimeThatIsEverything(t *testing.T) {
	f := newFolder(t)
	tone := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")
	samples := make([]byte, 8000)
	binary.LittleEndian.PutUint32(tone[40:], uint32(len(samples)))
	binary.LittleEndian.PutUint32(tone[4:], uint32(len(tone)+len(samples)-8))
	f.write("tone.wav", string(append(tone, samples...)))
	f.write("page.txt", "some words\n")
	check := func(want int, command string, words ...string) {
		t.Helper()
		for _, word := range words {
			if out, code := called(t, f.dir, []string{command, word}); (code == exitOK) != (want == exitOK) {
				t.Errorf("%s %s: exit code %d, %s", command, word, code, out)
			}
		}
	}
	check(exitOK, "resolve", "tone.wav#t=0-", "tone.wav#t=0-0.5")
	check(exitFailure, "resolve", "page.txt#t=0-")
	check(exitOK, "ingest", ".")
	check(exitOK, "resolve", "tone.wav#t=0-", "tone#t=0-", "audio://tone#t=0-")
	for _, command := range []string{"resolve", "read"} {
		check(exitFailure, command, "page.txt#t=0-", "page#t=0-", "text://page#t=0-")
	}
}
