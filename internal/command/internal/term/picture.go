package term

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // for image.Decode
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
)

// Pictures is the protocol by which a terminal shows pictures.
type Pictures string

// The known protocols.
const (
	NoPictures    Pictures = ""
	KittyPictures Pictures = "kitty"  // the graphics protocol of kitty, also in Ghostty
	ITermPictures Pictures = "iterm2" // the inline images of iTerm2, also in WezTerm
	SixelPictures Pictures = "sixel"  // the format of DEC, in foot, mlterm, xterm -ti vt340, tmux and others
)

// PicturesOf returns how the terminal at w shows pictures, according to the
// environment. If that does not tell, the terminal is asked for sixels, and has a
// second to answer.
func PicturesOf(w any) Pictures {
	if !IsTTY(w) {
		return NoPictures
	}
	if p := picturesIn(os.Getenv); p != NoPictures || os.Getenv("TERM") == "dumb" {
		return p
	}
	if hasSixels(attributes()) {
		return SixelPictures
	}
	return NoPictures
}

// picturesIn returns how the terminal shows pictures according to the environment.
// That of another program such as tmux is not that of the terminal around it.
func picturesIn(env func(string) string) Pictures {
	switch name, program := env("TERM"), env("TERM_PROGRAM"); {
	case env("TMUX") != "" || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux"):
		return NoPictures
	case strings.Contains(name, "kitty") || strings.Contains(name, "ghostty") || program == "ghostty" || env("KITTY_WINDOW_ID") != "":
		return KittyPictures
	case program == "iTerm.app" || program == "WezTerm" || env("LC_TERMINAL") == "iTerm2":
		return ITermPictures
	}
	return NoPictures
}

// hasSixels reports whether the attributes of a terminal, such as "\x1b[?62;4;22c",
// have sixels: 4.
func hasSixels(attributes string) bool {
	_, list, found := strings.Cut(attributes, "\x1b[?")
	list, _, ended := strings.Cut(list, "c")
	return found && ended && slices.Contains(strings.Split(list, ";")[1:], "4")
}

// Side returns the largest width and height, in pixels, of a picture that the terminal
// at w shows at once, from least to most.
func Side(w any, least, most int) int {
	const columnPixels, rowPixels = 8, 16 // of a terminal that does not tell
	width, height := Columns(w)*columnPixels, most
	if f, ok := w.(*os.File); ok {
		if s := sizeOfTerminal(f); s.rows > 0 {
			row := rowPixels
			if s.width > 0 && s.height > 0 {
				width, row = s.width, s.height/s.rows
			}
			height = (s.rows - 1) * row // one for the prompt
		}
	}
	return max(min(width, height, most), least)
}

// A terminalSize is that of a terminal in columns and rows, and in pixels or 0.
type terminalSize struct{ columns, rows, width, height int }

// kittyChunk is the maximum number of base64 bytes in one escape sequence of kitty.
const kittyChunk = 4096

// Show writes a picture, a PNG or JPEG file, for the terminal to show, followed by a
// line end.
func (p Pictures) Show(w io.Writer, file []byte) error {
	var out bytes.Buffer
	switch p {
	case KittyPictures:
		data, err := asPNG(file)
		if err != nil {
			return err
		}
		writeKitty(&out, base64.StdEncoding.EncodeToString(data))
	case ITermPictures:
		fmt.Fprintf(&out, "\x1b]1337;File=inline=1;size=%d:%s\a", len(file), base64.StdEncoding.EncodeToString(file))
	case SixelPictures:
		picture, _, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			return err
		}
		writeSixel(&out, picture)
	default:
		return fmt.Errorf("this terminal shows no pictures")
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

func writeKitty(out *bytes.Buffer, encoded string) {
	control := "a=T,f=100,q=2,"
	for first := true; first || encoded != ""; first = false {
		n, more := min(len(encoded), kittyChunk), 0
		if n < len(encoded) {
			more = 1
		}
		fmt.Fprintf(out, "\x1b_G%sm=%d;%s\x1b\\", control, more, encoded[:n])
		encoded, control = encoded[n:], ""
	}
}

// asPNG converts a picture to PNG, the only format that kitty reads.
func asPNG(file []byte) ([]byte, error) {
	picture, format, err := image.Decode(bytes.NewReader(file))
	if err != nil || format == "png" {
		return file, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}
