package testcorpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Test signals of the recordings: a picture that differs in every frame, and a sound
// that never repeats.
const (
	picture = "testsrc2=size=%s:rate=%s,format=yuv420p"
	chirp   = "aevalsrc=exprs='0.3*sin(2*PI*(600*t+900*sin(1.3*t)))+0.2*sin(2*PI*(1500*t+700*sin(0.37*t)))':sample_rate=%d:channel_layout=%s"
)

// A take is a recording to be made by ffmpeg.
type take struct {
	size, rate string  // of the picture, or ""
	video      string  // encoder
	seconds    float64 // of picture and sound
	hertz      int     // sample rate of the sound, or 0
	layout     string  // "" means "mono"
	audio      string  // encoder
	inputs     []string
	options    []string
}

func (m *maker) take(name string, t take) {
	args := []string{"-nostdin", "-v", "error", "-y"}
	length := fmt.Sprint(t.seconds)
	if t.size != "" {
		args = append(args, "-f", "lavfi", "-t", length, "-i", fmt.Sprintf(picture, t.size, t.rate))
	}
	if t.hertz != 0 {
		layout := t.layout
		if layout == "" {
			layout = "mono"
		}
		args = append(args, "-f", "lavfi", "-t", length, "-i", fmt.Sprintf(chirp, t.hertz, layout))
	}
	args = append(args, t.inputs...)
	if t.size != "" {
		args = append(args, "-c:v", t.video)
		if t.video == "libx264" || t.video == "libx265" {
			args = append(args, "-preset", "veryfast")
		}
	}
	if t.hertz != 0 {
		args = append(args, "-c:a", t.audio)
		if t.audio == "aac" {
			args = append(args, "-aac_pns", "0") // decoders synthesize noise differently
		}
	}
	args = append(args, "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")
	m.run("ffmpeg", append(append(args, t.options...), "media/"+name)...)
}

// copyTo copies the streams of one recording to another.
func (m *maker) copyTo(name, from string, options ...string) {
	args := append([]string{"-nostdin", "-v", "error", "-y", "-i", "media/" + from}, options...)
	m.run("ffmpeg", append(args, "-fflags", "+bitexact", "media/"+name)...)
}

func chapters(entries ...any) string {
	var b strings.Builder
	b.WriteString(";FFMETADATA1\n")
	for i := 0; i < len(entries); i += 3 {
		fmt.Fprintf(&b, "[CHAPTER]\nTIMEBASE=1/1000\nSTART=%v\nEND=%v\ntitle=%v\n", entries[i], entries[i+1], entries[i+2])
	}
	return b.String()
}

func (m *maker) media() {
	m.movies()
	m.otherVideos()
	m.recordings()
	m.damagedMedia()
	for _, name := range []string{"three.txt", "two.txt", "mp3.txt", "cover.png", "cues.srt", "cues.ass", "cues.vtt", "bitmap.sup"} {
		m.remove(name)
	}
}

func (m *maker) movies() {
	m.write("three.txt", []byte(chapters(0, 201, "Chapter 1", 201, 800, "Chapter 2", 800, 850, "Chapter 3")))
	m.write("two.txt", []byte(chapters(0, 1999, "Chapter 1", 2000, 4999, "Chapter 2")))
	small := take{size: "320x240", rate: "30000/1001", video: "libx264", seconds: 1.001, hertz: 44100, audio: "aac"}
	with := func(t take, inputs []string, options ...string) take {
		t.inputs, t.options = inputs, options
		return t
	}
	m.take("h264-aac-chapters.mp4", with(small, []string{"-i", "three.txt"}, "-map_chapters", "2", "-map", "0", "-map", "1", "-brand", "mp42"))
	m.take("plain.mp4", small)
	m.write("media/h264-nero-chapters.mp4", neroChapters(m.read("media/plain.mp4"), "Chapter 1", 0, "Chapter 2", 0.201, "Chapter 3", 0.8))
	m.write("media/h264-rotated.mp4", turned(m.read("media/plain.mp4")))
	m.write("media/missing-stsd.mp4", replaceLast(m.read("media/plain.mp4"), "stsd", "stsx"))
	m.write("media/h264-invalid-nalu.mp4", invalidUnit(m.read("media/plain.mp4")))
	m.take("h264-fragmented-wrong-duration.mp4", with(small, nil, "-bf", "0", "-movflags", "frag_keyframe+empty_moov+default_base_moof"))
	m.write("media/h264-fragmented-wrong-duration.mp4", longMovie(m.read("media/h264-fragmented-wrong-duration.mp4")))
	m.take("source.mp4", take{size: "640x360", rate: "30", video: "libx264", seconds: 2, hertz: 44100, audio: "aac", options: []string{"-g", "60"}})
	m.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "0.8", "-i", "media/source.mp4", "-t", "0.5333", "-c", "copy", "-fflags", "+bitexact", "media/h264-edit-list.mp4")
	m.take("h264-first-pts-10s.mp4", take{size: "400x320", rate: "30", video: "libx264", seconds: 4, options: []string{"-bf", "2", "-output_ts_offset", "10"}})
	m.take("hevc-bframes.mp4", take{size: "426x240", rate: "30", video: "libx265", seconds: 1, options: []string{"-x265-params", "log-level=none:bframes=3", "-tag:v", "hvc1"}})
	m.take("av1-aac.mp4", take{size: "320x180", rate: "30000/1001", video: "libaom-av1", seconds: 1.001, hertz: 44100, audio: "aac", options: []string{"-cpu-used", "8", "-g", "60"}})
	m.take("tiny.mov", take{size: "32x24", rate: "12", video: "libx264", seconds: 1.5})
	m.take("h264-long-6min.mp4", take{size: "256x144", rate: "15", video: "libx264", seconds: 362.767, hertz: 44100, audio: "aac",
		options: []string{"-preset", "ultrafast", "-crf", "40", "-g", "125", "-b:a", "32k"}})
	m.copyTo("h264-long-video-only.mp4", "h264-long-6min.mp4", "-c", "copy", "-an")
	m.take("mp4-audio-only-15s.mp4", take{seconds: 15, hertz: 22050, audio: "aac", options: []string{"-b:a", "24k"}})
	m.take("pcm-variable.mp4", take{seconds: 1, hertz: 48000, layout: "stereo", audio: "pcm_s16le", options: []string{"-f", "mov"}})
	m.remove("media/plain.mp4", "media/source.mp4")
}

func (m *maker) otherVideos() {
	m.write("cues.srt", []byte("1\n00:00:00,100 --> 00:00:00,400\nThe first line\n\n2\n00:00:00,450 --> 00:00:00,900\nand the second one\n"))
	m.write("cues.vtt", []byte("WEBVTT\n\n00:00.100 --> 00:00.400\nThe first line\n\n00:00.450 --> 00:00.900\nand the second one\n"))
	m.write("cues.ass", []byte("[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\n"+
		"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"+
		"Dialogue: 0,0:00:00.10,0:00:00.40,Default,,0,0,0,,The first line\nDialogue: 0,0:00:00.45,0:00:00.90,Default,,0,0,0,,and the second one\n"))
	m.write("bitmap.sup", bitmapSubtitles())
	m.take("mkv-chapters.mkv", take{size: "320x240", rate: "30", video: "libx264", seconds: 5, hertz: 44100, audio: "aac",
		inputs: []string{"-i", "two.txt"}, options: []string{"-map_chapters", "2", "-map", "0", "-map", "1", "-g", "150", "-flags:v", "+global_header"}})
	for name, cues := range map[string]string{"mkv-srt-track.mkv": "cues.srt", "mkv-ass-track.mkv": "cues.ass", "mkv-vtt-track.mkv": "cues.vtt", "mkv-pgs-bitmap-subs.mkv": "bitmap.sup"} {
		size := "320x240"
		if name == "mkv-srt-track.mkv" {
			size = "1080x720"
		}
		m.take(name, take{size: size, rate: "30000/1001", video: "libx264", seconds: 1.001, hertz: 48000, audio: "ac3",
			inputs: []string{"-i", cues}, options: []string{"-map", "0", "-map", "1", "-map", "2", "-c:s", "copy"}})
	}
	m.take("vp9.webm", take{size: "320x240", rate: "30000/1001", video: "libvpx-vp9", seconds: 2.736, options: []string{"-g", "200", "-deadline", "realtime", "-cpu-used", "8"}})
	m.take("vp9-vorbis.webm", take{size: "480x270", rate: "60", video: "libvpx-vp9", seconds: 1, hertz: 48000, layout: "stereo", audio: "libvorbis", options: []string{"-deadline", "realtime", "-cpu-used", "8"}})
	m.take("mpeg4-mp3.avi", take{size: "480x200", rate: "24000/1001", video: "mpeg4", seconds: 4.05, hertz: 44100, audio: "libmp3lame", options: []string{"-g", "12", "-bf", "0"}})
	m.take("hevc.ts", take{size: "426x240", rate: "30", video: "libx265", seconds: 1, options: []string{"-x265-params", "log-level=none:bframes=2", "-mpegts_flags", "+system_b"}})
}

func (m *maker) recordings() {
	m.write("mp3.txt", []byte(chapters(0, 1000, "Introduction", 1000, 2000, "New chapter", 2000, 2025, "Chapter 1")))
	m.run(convert(), "-size", "300x300", "gradient:red-blue", "-depth", "8", "cover.png")
	bear := take{seconds: 2.741, hertz: 44100, layout: "stereo", audio: "libmp3lame"}
	with := func(audio string, inputs []string, options ...string) take {
		t := bear
		t.audio, t.inputs, t.options = audio, inputs, options
		return t
	}
	m.take("vbr-xing.mp3", with("libmp3lame", nil, "-q:a", "4"))
	m.take("vbr-no-toc.mp3", with("libmp3lame", nil, "-q:a", "4", "-write_xing", "0"))
	m.write("media/vbr-vbri.mp3", fraunhofer(m.read("media/vbr-no-toc.mp3")))
	two := with("libmp3lame", []string{"-i", "mp3.txt"}, "-map_chapters", "1", "-map", "0", "-b:a", "64k")
	two.seconds = 2
	m.take("chapters.mp3", two)
	m.write("mp3.txt", []byte(chapters(0, 600, "Chapter title", 600, 1200, "chap2")))
	m.take("id3-chapters-cover.mp3", with("libmp3lame", []string{"-i", "mp3.txt", "-i", "cover.png"},
		"-map_chapters", "1", "-map", "0", "-map", "2", "-c:v", "mjpeg", "-disposition:v", "attached_pic", "-q:a", "4"))
	m.take("bear.flac", with("flac", nil))
	m.take("flac-cover.flac", with("flac", []string{"-i", "cover.png"}, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"))
	at48 := with("libopus", nil, "-b:a", "64k")
	at48.hertz = 48000
	m.take("bear.opus", at48)
	at48.audio, at48.options = "libvorbis", nil
	m.take("bear-vorbis.ogg", at48)
	m.take("float32.wav", take{seconds: 1.022, hertz: 44100, audio: "pcm_f32le"})
	m.take("pcm16.wav", take{seconds: 1, hertz: 44100, audio: "pcm_s16le"})
	m.take("rf64.wav", take{seconds: 0.349, hertz: 48000, layout: "stereo", audio: "pcm_s16le", options: []string{"-rf64", "always"}})
	m.take("wav-cue-chapter.wav", take{seconds: 3.429, hertz: 44100, layout: "stereo", audio: "pcm_s16le"})
	m.write("media/wav-cue-chapter.wav", cuePoint(m.read("media/wav-cue-chapter.wav"), "Tempo: 70.0"))
	m.take("adts.aac", take{seconds: 3.1, hertz: 8000, audio: "aac", options: []string{"-b:a", "32k"}})
	m.copyTo("aac.m4a", "adts.aac", "-c", "copy")
}

func (m *maker) damagedMedia() {
	long := take{seconds: 9, hertz: 44100, audio: "libmp3lame", options: []string{"-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0"}}
	m.take("garbage-prefix.mp3", long)
	m.write("media/garbage-prefix.mp3", append(junk(200_000), m.read("media/garbage-prefix.mp3")...))
	m.write("media/smallest.mp3", append([]byte("\xff\xe3\x18\xc4"), make([]byte, 68)...)) // one frame of MPEG 2 layer III
}

// junk returns bytes in which no frame of MPEG audio begins.
func junk(size int) []byte {
	data := make([]byte, size)
	x := uint32(1)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = min(byte(x>>24)|0x80, 0xfe)
	}
	return data
}

func u32(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

func box(kind string, content []byte) []byte {
	return append(append(u32(uint32(len(content)+8)), kind...), content...)
}

// neroChapters adds a "chpl" box to the end of a movie box that is last in the file, so
// that nothing else moves.
func neroChapters(movie []byte, entries ...any) []byte {
	var list bytes.Buffer
	list.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0, byte(len(entries) / 2)})
	for i := 0; i < len(entries); i += 2 {
		var at float64
		switch v := entries[i+1].(type) {
		case int:
			at = float64(v)
		case float64:
			at = v
		}
		title := entries[i].(string)
		list.Write(binary.BigEndian.AppendUint64(nil, uint64(math.Round(at*1e7))))
		list.WriteByte(byte(len(title)))
		list.WriteString(title)
	}
	return inMovie(movie, box("udta", box("chpl", list.Bytes())))
}

// inMovie appends a box to the movie box at the end of a file. It renames an existing
// "udta" box.
func inMovie(file, more []byte) []byte {
	at := bytes.LastIndex(file, []byte("moov")) - 4
	if at < 0 || int(binary.BigEndian.Uint32(file[at:]))+at != len(file) {
		panic("the movie box is not the last one")
	}
	out := bytes.Clone(file)
	if udta := bytes.LastIndex(out[at:], []byte("udta")); udta > 0 {
		copy(out[at+udta:], "free")
	}
	out = append(out, more...)
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at))
	return out
}

// turned writes a display matrix into the header of the first track: a quarter turn,
// mirrored.
func turned(movie []byte) []byte {
	out := bytes.Clone(movie)
	header := bytes.Index(out, []byte("tkhd")) + 4
	copy(out[header+40:], u32(0, 1<<16, 0, 1<<16, 0, 0, 0, 0, 1<<30))
	return out
}

func replaceLast(data []byte, old, new string) []byte {
	out := bytes.Clone(data)
	copy(out[bytes.LastIndex(out, []byte(old)):], new)
	return out
}

// invalidUnit changes the unit that names the encoder, which no picture needs, to a
// type that does not exist.
func invalidUnit(movie []byte) []byte {
	out := bytes.Clone(movie)
	told := bytes.Index(out, []byte("x264 - core"))
	for at := told; at > told-64; at-- { // a unit begins with its length and its kind
		size := int(binary.BigEndian.Uint32(out[at:]))
		if out[at+4]&0x1f == 6 && at+4+size > told && size < 4096 {
			out[at+4] = 30
			return out
		}
	}
	panic("the encoder is not told of")
}

// longMovie makes the headers of a fragmented movie claim many hours.
func longMovie(movie []byte) []byte {
	out := bytes.Clone(movie)
	header := bytes.Index(out, []byte("mvhd"))
	timescale := binary.BigEndian.Uint32(out[header+16:])
	binary.BigEndian.PutUint32(out[header+20:], 143165*timescale)
	return out
}

// fraunhofer inserts a frame before an MP3 that gives its length, as the encoders of
// Fraunhofer write it.
func fraunhofer(mp3 []byte) []byte {
	sync := bytes.Index(mp3, []byte{0xff, 0xfb})
	if sync < 0 {
		sync = bytes.Index(mp3, []byte{0xff, 0xfa})
	}
	frames := countFrames(mp3[sync:])
	head := make([]byte, 417) // a frame of 128 kbit/s at 44.1 kHz
	copy(head, []byte{0xff, 0xfb, 0x90, mp3[sync+3]})
	info := append([]byte("VBRI"), 0, 1, 0, 0, 0, 75)
	info = append(info, u32(uint32(len(mp3)-sync+len(head)), uint32(frames))...)
	info = append(info, 0, 1, 0, 1, 0, 2, byte(frames>>8), byte(frames), 0, 0)
	copy(head[36:], info)
	return append(append(bytes.Clone(mp3[:sync]), head...), mp3[sync:]...)
}

func countFrames(mp3 []byte) int {
	rates := []int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	n := 0
	for at := 0; at+4 <= len(mp3) && mp3[at] == 0xff && mp3[at+1]&0xe0 == 0xe0; n++ {
		rate := rates[mp3[at+2]>>4]
		if rate == 0 {
			break
		}
		at += 144*rate*1000/44100 + int(mp3[at+2]>>1&1)
	}
	return n
}

// cuePoint adds a cue point at the start of a WAV, with its label.
func cuePoint(wav []byte, label string) []byte {
	le := binary.LittleEndian
	chunk := func(kind string, data []byte) []byte {
		b := append([]byte(kind), le.AppendUint32(nil, uint32(len(data)))...)
		b = append(b, data...)
		if len(data)%2 == 1 {
			b = append(b, 0)
		}
		return b
	}
	cue := le.AppendUint32(nil, 1)
	for _, v := range []uint32{1, 0} {
		cue = le.AppendUint32(cue, v)
	}
	cue = append(cue, "data"...)
	for range 3 {
		cue = le.AppendUint32(cue, 0)
	}
	text := append(le.AppendUint32(nil, 1), label...)
	out := append(bytes.Clone(wav), chunk("cue ", cue)...)
	out = append(out, chunk("LIST", append([]byte("adtl"), chunk("labl", append(text, 0))...))...)
	le.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// bitmapSubtitles returns two subtitles that are pictures, as on Blu-ray discs: a white
// square, shown for a third of a second each time.
func bitmapSubtitles() []byte {
	var out bytes.Buffer
	segment := func(at float64, kind byte, data ...byte) {
		out.WriteString("PG")
		out.Write(u32(uint32(at*90000), 0))
		out.WriteByte(kind)
		out.Write(binary.BigEndian.AppendUint16(nil, uint16(len(data))))
		out.Write(data)
	}
	const width, height = 16, 8
	var picture []byte
	for range height {
		picture = append(picture, 0, 0x80|width, 1, 0, 0) // a run of colour 1, end of line
	}
	object := append([]byte{0, 0, 0, 0xc0, 0, 0, byte(len(picture) + 4), 0, width, 0, height}, picture...)
	for i, at := range []float64{0.1, 0.5} {
		n := byte(2 * i)
		segment(at, 0x16, 4, 56, 2, 208, 0x10, 0, n, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 100, 0, 100)
		segment(at, 0x17, 1, 0, 0, 100, 0, 100, 0, width, 0, height)
		segment(at, 0x14, 0, 0, 1, 235, 128, 128, 255)
		segment(at, 0x15, object...)
		segment(at, 0x80)
		segment(at+0.3, 0x16, 4, 56, 2, 208, 0x10, 0, n+1, 0, 0, 0, 0)
		segment(at+0.3, 0x17, 1, 0, 0, 100, 0, 100, 0, width, 0, height)
		segment(at+0.3, 0x80)
	}
	return out.Bytes()
}
