// Package mp4 cuts time ranges out of MP4, QuickTime and M4A files without
// decoding them: it reads the sample tables, chooses samples, writes new
// tables and copies the bytes of the samples.
//
// # Time
//
// All times are seconds on the movie's own timeline (ISO/IEC 14496-12,
// 8.6.6): zero is where the edit lists begin, so an initial empty edit counts
// as time in which its track shows nothing. A file whose first frame follows
// an empty edit of ten seconds has that frame at 10, as players and ffprobe
// show it. A track without an edit list plays its media from media time 0.
// Gapless-playback tags are not edit lists and move nothing.
//
// A video frame belongs to [start, end) if its presentation time does. Tools
// print times with six decimals, so a time within half a microsecond of a
// frame names that frame.
//
// # Clips
//
// A frame can only be decoded from a sync sample on, so a clip begins with up
// to one group of pictures that its edit list hides, and audio begins with
// the few packets its decoder needs to settle. A player that honours edit
// lists, which is nearly all of them, shows the range and nothing else.
//
// Video, audio and subtitle tracks are kept with their sample descriptions,
// rotation, language and names. Chapter, timecode, hint and data tracks and
// movie-wide tags, which describe the whole and not the clip, are dropped.
//
// # Trust
//
// Files may lie. No count is believed before it is checked against the bytes
// that hold it, the size of the movie box is bounded by [MaxMovieBox], and a
// clip never holds more media bytes than its source.
package mp4
