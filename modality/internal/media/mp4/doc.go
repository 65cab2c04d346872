// Package mp4 cuts time ranges out of MP4, QuickTime and M4A files without
// decoding them. It reads the sample tables, chooses samples, writes new tables
// and copies the bytes of the samples.
//
// # Time
//
// All times are seconds on the movie's own timeline (ISO/IEC 14496-12, 8.6.6):
// zero is where the edit lists begin, so an initial empty edit counts as time
// in which its track shows nothing. If the first frame follows an empty edit of
// ten seconds, its time is 10, as in players and ffprobe. A track without an
// edit list plays its media from media time 0. Gapless-playback tags are not
// edit lists and have no effect.
//
// A video frame belongs to [start, end) if its presentation time does. Tools
// print times with six decimals, so a time within half a microsecond of a frame
// names that frame.
//
// # Clips
//
// Decoding a frame must start at a sync sample, so a clip begins with up to one
// group of pictures, which its edit list hides. Likewise, audio begins with the
// few packets its decoder needs to settle. Nearly all players honour edit
// lists, and show exactly the range.
//
// Video, audio and subtitle tracks are kept with their sample descriptions,
// rotation, language and names. Chapter, timecode, hint and data tracks are
// dropped, and so are movie-wide tags, which describe the whole movie and not
// the clip.
//
// # Trust
//
// Files may lie. Every count is checked against the bytes that hold it, the
// size of the movie box is bounded by [MaxMovieBox], and a clip never holds
// more media bytes than its source.
package mp4
