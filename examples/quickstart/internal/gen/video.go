package main

import (
	"os"
	"os/exec"
)

// video writes ten seconds of a test picture that counts the time, with a
// quiet tone: H.264 and AAC in MP4, a key frame every two seconds.
func video(path string) error {
	cmd := exec.Command("ffmpeg", "-nostdin", "-hide_banner", "-v", "error", "-y",
		"-f", "lavfi", "-i", "testsrc=size=160x120:rate=12:duration=10",
		"-f", "lavfi", "-i", "sine=frequency=220:sample_rate=22050:duration=10",
		"-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact",
		"-c:v", "libx264", "-preset", "veryslow", "-crf", "34", "-g", "24", "-threads", "1", "-pix_fmt", "yuv420p",
		"-c:a", "aac", "-b:a", "16k", "-ac", "1",
		"-movflags", "+faststart", "file:"+path)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}
