package command

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/mapper/llm"
)

// transcriberFlags choose what writes down the speech in recordings.
type transcriberFlags struct {
	name    string
	config  string
	command string // that has the flags
}

func (t *transcriberFlags) register(f *pflag.FlagSet) {
	f.StringVar(&t.name, "transcriber", "", "what writes down the speech in recordings without subtitles: whisper.cpp, openai-whisper, faster-whisper, vosk, pocketsphinx, a `PROGRAM`, or the URL of a server such as http://127.0.0.1:8080/v1")
	f.StringVar(&t.config, "transcriber-config", "", "settings of the transcriber as `JSON`, such as {\"model\": \"…\", \"language\": \"en\"}")
}

// open returns the transcriber that the flags choose, or nil.
func (t *transcriberFlags) open() (ingest.Transcriber, error) {
	if t.name == "" {
		if t.config != "" {
			return nil, usagef(t.command, "--transcriber-config needs --transcriber")
		}
		return nil, nil
	}
	var opts llm.TranscriberOptions
	if err := llm.ParseConfig([]byte(t.config), &opts); err != nil {
		return nil, usagef(t.command, "--transcriber-config: %v", err)
	}
	transcriber, err := llm.NewTranscriber(t.name, &opts)
	if err != nil {
		return nil, fmt.Errorf("--transcriber: %w", err)
	}
	return transcriber, nil
}

// tellRemote says that sound leaves this machine, if it does.
func (s *session) tellRemote(t ingest.Transcriber) {
	if remote, ok := t.(*llm.Transcriber); ok && remote.Remote() != "" {
		fmt.Fprintf(s.stderr, "citekit: the sound of recordings is sent to %s\n", term.Line(remote.Remote()))
	}
}

// checkOCRProgram looks for the program of the settings that recognises text.
func (d *doctor) checkOCRProgram() {
	program := d.settings.Capabilities.Program
	if program == "" {
		return
	}
	subject := "program " + program
	if _, err := child.Find(program); err != nil {
		d.fault(subject, "install it, or correct capabilities.ocr_program", "it cannot be run, so no text of images and scanned pages is read")
		return
	}
	d.ok(subject, "recognises text")
}

// checkTranscriber looks for the transcriber of the settings.
func (d *doctor) checkTranscriber(ctx context.Context) {
	setting := d.settings.Transcriber
	if setting.Name == "" {
		return
	}
	subject := "transcriber " + setting.Name
	flags := transcriberFlags{name: setting.Name, config: string(setting.Config), command: "doctor"}
	transcriber, err := flags.open()
	if err != nil {
		d.fault(subject, "install it, or correct transcriber.name and transcriber.config", "%v", err)
		return
	}
	found, err := transcriber.Provenance(ctx)
	if err != nil {
		d.fault(subject, "run it by hand", "%v", err)
		return
	}
	if server := found["server"]; server != "" {
		d.ok(subject, "recordings are sent to %s", server)
		return
	}
	d.ok(subject, "program %s, version %s", found["program"], found["version"])
}
