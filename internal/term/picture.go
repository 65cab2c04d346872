package term

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // what pictures may be
	"image/png"
	"io"
	"os"
	"strings"
)

// Pictures is how a terminal shows pictures.
type Pictures string

// The ways of terminals.
const (
	NoPictures    Pictures = ""
	KittyPictures Pictures = "kitty"  // the graphics protocol of kitty: also Ghostty
	ITermPictures Pictures = "iterm2" // the inline images of iTerm2: also WezTerm
)

// PicturesOf returns how the terminal at w shows pictures, if the environment
// says it. Inside another program, such as tmux, it shows none.
func PicturesOf(w any) Pictures {
	if !IsTTY(w) {
		return NoPictures
	}
	return picturesIn(os.Getenv)
}

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

// kittyChunk is how many bytes of base64 one escape of kitty has at most.
const kittyChunk = 4096

// Show writes a picture, a PNG or JPEG file, so that a terminal shows it, and a
// line end behind it.
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

// asPNG returns a picture as PNG, which is all that kitty reads.
func asPNG(file []byte) ([]byte, error) {
	picture, format, err := image.Decode(bytes.NewReader(file))
	if err != nil || format == "png" {
		return file, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}
