// Gen writes the samples of the quickstart to the directory samples. All of
// them are made here; the video needs ffmpeg, once.
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gen DIRECTORY")
	}
	if err := write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func write(dir string) error {
	for name, make := range map[string]func() ([]byte, error){
		"guide.pdf": guide,
		"chart.png": chart,
		"tones.wav": tones,
	} {
		data, err := make()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return video(filepath.Join(dir, "clock.mp4"))
}
