// Package media cuts content that plays in time, for the modalities video and
// audio. It recognises the format from the content, chooses between the native
// cutters and ffmpeg, and uses one timeline.
//
// # Timeline
//
// t=0 is where a player starts: in MP4 and QuickTime files the start of the
// movie after applying edit lists; in other formats the earliest time stamp of
// sound and picture, if it is positive, as in transport streams that begin at
// 1.4 s. Negative time stamps belong to encoder delay, which is not heard; they
// come before t=0.
package media

import (
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
)

// A Format is a container of sound or picture.
type Format struct {
	Name      string // for messages, such as "Matroska"
	MediaType string // such as "video/x-matroska"
	Ext       string // such as ".mkv"
	AudioOnly bool   // the format has no picture

	demuxer string // ffmpeg's name
	junk    int64  // bytes before the first frame that are not part of the format
}

// The supported formats.
var (
	formatMP4       = Format{Name: "MP4", MediaType: "video/mp4", Ext: ".mp4", demuxer: "mov"}
	formatM4A       = Format{Name: "MP4 audio", MediaType: "audio/mp4", Ext: ".m4a", demuxer: "mov"}
	formatQuickTime = Format{Name: "QuickTime", MediaType: "video/quicktime", Ext: ".mov", demuxer: "mov"}
	formatMatroska  = Format{Name: "Matroska", MediaType: "video/x-matroska", Ext: ".mkv", demuxer: "matroska"}
	formatWebM      = Format{Name: "WebM", MediaType: "video/webm", Ext: ".webm", demuxer: "matroska"}
	formatTS        = Format{Name: "MPEG transport stream", MediaType: "video/mp2t", Ext: ".ts", demuxer: "mpegts"}
	formatAVI       = Format{Name: "AVI", MediaType: "video/vnd.avi", Ext: ".avi", demuxer: "avi"}
	formatOgg       = Format{Name: "Ogg", MediaType: "application/ogg", Ext: ".ogx", demuxer: "ogg"}
	formatOggVideo  = Format{Name: "Ogg video", MediaType: "video/ogg", Ext: ".ogv", demuxer: "ogg"}
	formatOggAudio  = Format{Name: "Ogg audio", MediaType: "audio/ogg", Ext: ".ogg", AudioOnly: true, demuxer: "ogg"}
	formatOpus      = Format{Name: "Opus", MediaType: "audio/ogg", Ext: ".opus", AudioOnly: true, demuxer: "ogg"}
	formatWAV       = Format{Name: "WAV", MediaType: "audio/vnd.wave", Ext: ".wav", AudioOnly: true, demuxer: "wav"}
	formatFLAC      = Format{Name: "FLAC", MediaType: "audio/flac", Ext: ".flac", AudioOnly: true, demuxer: "flac"}
	formatMP3       = Format{Name: "MP3", MediaType: "audio/mpeg", Ext: ".mp3", AudioOnly: true, demuxer: "mp3"}
	formatADTS      = Format{Name: "AAC", MediaType: "audio/aac", Ext: ".aac", AudioOnly: true, demuxer: "aac"}
)

// formats are the formats that this package reads, by signature id.
var formats = map[string]Format{
	"mp4": formatMP4, "m4a": formatM4A, "mov": formatQuickTime, "matroska": formatMatroska, "webm": formatWebM,
	"ts": formatTS, "avi": formatAVI, "ogg": formatOgg, "ogg-video": formatOggVideo, "ogg-audio": formatOggAudio,
	"opus": formatOpus, "wav": formatWAV, "flac": formatFLAC, "mp3": formatMP3, "adts": formatADTS,
}

// Sniff returns the format of a source by its content; names do not count. If
// the content is not a media format, the error matches [citekit.ErrFormat] and
// says what it looks like. For a media format that this package does not read,
// the error matches [errors.ErrUnsupported].
func Sniff(r io.ReaderAt, size int64) (Format, error) {
	if size == 0 {
		return Format{}, fmt.Errorf("the source is empty: %w", citekit.ErrFormat)
	}
	found, err := sniff.Detect(r, size)
	if err != nil {
		return Format{}, err
	}
	if f, ok := formats[found.ID]; ok {
		f.junk = found.Junk
		return f, nil
	}
	isMedia := found.Kind == sniff.Video || found.Kind == sniff.Audio || found.Kind == sniff.Timed
	switch {
	case isMedia && found.Unread:
		return Format{}, fmt.Errorf("%s is not among the media formats read here: %w", found.Name, errors.ErrUnsupported)
	case isMedia || found.ID == "" || found.ID == "ebml":
		return Format{}, fmt.Errorf("the source does not begin as any of the media formats read here: %w", citekit.ErrFormat)
	}
	return Format{}, fmt.Errorf("the source is not audio or video; it looks like %s: %w", found.Name, citekit.ErrFormat)
}
