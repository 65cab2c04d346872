package llm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
)

// TranscriberOptions configure a [Transcriber]. They can be read from JSON, see
// [ParseConfig].
type TranscriberOptions struct {
	// Profile says how a program is called: "whisper.cpp", "openai-whisper",
	// "faster-whisper", "vosk", "pocketsphinx", "pocketsphinx5" or "program". "" means the
	// one that the name of the program tells, else "program".
	Profile string `json:"profile,omitempty"`

	// Args precede the arguments of the profile. Of a "program" they are all arguments:
	// {wav} stands for the path of the sound, which else comes last, and {out} for that of
	// a file that the program may write instead of its standard output.
	Args []string `json:"args,omitempty"`

	Model    string `json:"model,omitempty"`    // name or path, as the program has it; "" means its default
	Language string `json:"language,omitempty"` // as the program names it, such as "en"; "" means its default

	// Timeout is the longest time for ten minutes of sound, as a program may hang; zero
	// means 6 hours.
	Timeout Seconds `json:"timeout,omitempty"`

	// Env names environment variables that the program gets besides those that locate
	// programs, libraries, models and temporary files.
	Env []string `json:"env,omitempty"`

	KeyEnv string `json:"key_env,omitempty"` // environment variable with the key of a server; "" means none

	Client *http.Client `json:"-"` // for a server; nil means a new client
}

const (
	transcriberTimeout = 6 * time.Hour

	// maxRecognised is the most output, in bytes, for one piece.
	maxRecognised = 8 << 20

	// maxScratch is how much a program may write to files, in bytes, beyond which it is
	// killed. lookEvery is how often that is looked at.
	maxScratch = 256 << 20
	lookEvery  = 200 * time.Millisecond
)

// A profile says how a recogniser is called.
type profile struct {
	programs []string // usual names; the first is looked for on PATH

	// args returns the arguments for a sound, and the file that is written, or "" for
	// standard output. Out is a path without an extension in a folder of its own.
	args func(wav, out string, o *TranscriberOptions) (args []string, file string)

	newer []string // programs of the same project with a profile of their own, looked for after those

	needsModel string // what to say if no model is given; "" if there is a default
}

var profiles = map[string]profile{
	"whisper.cpp": {
		programs: []string{"whisper-cli", "whisper-cpp"},
		args: func(wav, out string, o *TranscriberOptions) ([]string, string) {
			return []string{"-m", o.Model, "-l", cmp.Or(o.Language, "auto"), "-np", "-ojf", "-of", out, "-f", wav}, out + ".json"
		},
		needsModel: `whisper.cpp needs the path of its model: {"model": "/path/to/ggml-base.bin"}`,
	},
	"openai-whisper": {programs: []string{"whisper"}, args: whisperArgs},
	"faster-whisper": {
		programs: []string{"whisper-ctranslate2"},
		args: func(wav, out string, o *TranscriberOptions) ([]string, string) {
			if !isPath(o.Model) {
				return whisperArgs(wav, out, o)
			}
			named := *o // its --model takes names only
			named.Model = ""
			args, file := whisperArgs(wav, out, &named)
			return append([]string{"--model_directory", o.Model}, args...), file
		},
	},
	"vosk": {
		programs: []string{"vosk-transcriber"},
		args: func(wav, out string, o *TranscriberOptions) ([]string, string) {
			args := with(nil, "-l", o.Language)
			if isPath(o.Model) {
				args = with(args, "-m", o.Model)
			} else {
				args = with(args, "-n", o.Model)
			}
			// Its SRT has seven words a line, and no times of words.
			return append(args, "-t", "json", "-i", wav, "-o", out+".json"), out + ".json"
		},
	},
	"pocketsphinx": {
		programs: []string{"pocketsphinx_continuous"}, // until version 0.8
		newer:    []string{"pocketsphinx"},
		args: func(wav, _ string, o *TranscriberOptions) ([]string, string) {
			return append(with(nil, "-hmm", o.Model), "-infile", wav, "-time", "yes", "-logfn", os.DevNull), ""
		},
	},
	sphinx5: {
		programs: []string{"pocketsphinx"},
		args: func(wav, _ string, o *TranscriberOptions) ([]string, string) {
			return append(with(nil, "-hmm", o.Model), "live", wav), ""
		},
	},
	anyProgram: {
		args: func(wav, out string, o *TranscriberOptions) ([]string, string) {
			args, file, named := slices.Clone(o.Args), "", false
			for i, a := range args {
				if strings.Contains(a, "{out}") {
					file = out
				}
				named = named || strings.Contains(a, "{wav}")
				args[i] = strings.NewReplacer("{wav}", wav, "{out}", out).Replace(a)
			}
			if !named {
				args = append(args, wav)
			}
			return args, file
		},
	},
}

const (
	anyProgram = "program"
	sphinx5    = "pocketsphinx5"
)

// whisperArgs are the arguments of the command line of openai-whisper, which others have
// too.
func whisperArgs(wav, out string, o *TranscriberOptions) ([]string, string) {
	args := with(with(nil, "--model", o.Model), "--language", o.Language)
	args = append(args, "--word_timestamps", "True", "--verbose", "False", "--output_format", "json", "--output_dir", filepath.Dir(out), wav)
	name := filepath.Base(wav)
	return args, filepath.Join(filepath.Dir(out), strings.TrimSuffix(name, filepath.Ext(name))+".json")
}

// with appends an option that has a value.
func with(args []string, option, value string) []string {
	if value == "" {
		return args
	}
	return append(args, option, value)
}

// A Transcriber recognises speech by running a program, or by asking a server that speaks
// the transcriptions of OpenAI. It is a Transcriber of package ingest, and safe for
// concurrent use.
//
//	transcriber, err := llm.NewTranscriber("whisper.cpp", &llm.TranscriberOptions{Model: "/path/to/ggml-base.bin"})
//
// A program gets the path of a WAV file of at most ten minutes. It runs without a shell,
// as the user of this process, in a folder of its own that is removed, with those
// variables of the environment that locate programs, libraries and models. It is trusted,
// but what it writes is not: the output is bounded, and read only from where its profile
// writes it.
type Transcriber struct {
	name     string // of the profile
	profile  profile
	path     string // of the program
	options  TranscriberOptions
	endpoint *Endpoint // of a server; nil for a program
	url      string
}

// NewTranscriber returns a Transcriber for the name of a profile, whose program is looked
// up in PATH, for a program, or for the base URL of a server, such as
// http://127.0.0.1:8080/v1. It runs nothing and sends nothing. Sound is sent to no host
// but that of the URL.
//
// If the program is missing or cannot be run, the error matches [fs.ErrNotExist] or
// [fs.ErrPermission]; for options that do not fit, [citekit.ErrSyntax]. Nil options are
// the zero value.
func NewTranscriber(name string, opts *TranscriberOptions) (*Transcriber, error) {
	t := new(Transcriber)
	if opts != nil {
		t.options = *opts
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return t, t.openServer(name)
	}
	if t.options.KeyEnv != "" {
		return nil, fmt.Errorf("key_env is for a server; env names the variables of a program: %w", citekit.ErrSyntax)
	}
	program := name
	if p, ok := profiles[name]; ok && len(p.programs) > 0 {
		t.name, program = name, p.programs[0]
		for _, other := range append(p.programs[1:], p.newer...) {
			if _, err := child.Find(program); err != nil {
				program = other
			}
		}
		if slices.Contains(p.newer, program) {
			t.name = profileOf(program)
		}
	}
	if t.name = cmp.Or(t.options.Profile, t.name); t.name == "" {
		t.name = profileOf(program)
	}
	var ok bool
	if t.profile, ok = profiles[t.name]; !ok {
		return nil, fmt.Errorf("no profile %q; there are whisper.cpp, openai-whisper, faster-whisper, vosk, pocketsphinx, pocketsphinx5 and program: %w", clip(t.name), citekit.ErrSyntax)
	}
	if t.profile.needsModel != "" && t.options.Model == "" {
		return nil, fmt.Errorf("%s: %w", t.profile.needsModel, citekit.ErrSyntax)
	}
	path, err := child.Find(program)
	if err != nil {
		return nil, transcriberStart(err)
	}
	t.path = path
	return t, nil
}

// profileOf returns the profile whose program has the name.
func profileOf(program string) string {
	base := strings.TrimSuffix(filepath.Base(program), ".exe")
	for name, p := range profiles {
		if slices.Contains(p.programs, base) {
			return name
		}
	}
	return anyProgram
}

func (t *Transcriber) openServer(base string) error {
	if t.options.Profile != "" || len(t.options.Args) > 0 || len(t.options.Env) > 0 {
		return fmt.Errorf("profile, args and env are for programs: %w", citekit.ErrSyntax)
	}
	u, err := BaseURL(base)
	if err != nil {
		return err
	}
	key, err := FindKey("", t.options.KeyEnv)
	if err != nil {
		return err
	}
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	t.name, t.url = "server", u.String()+"/audio/transcriptions"
	t.endpoint = &Endpoint{
		Client: t.options.Client, Key: key, Header: header, Explain: explainOpenAI, MaxBytes: maxRecognised,
		Timeout: t.options.Timeout.Duration(transcriberTimeout), Retry: NewRetry(0, 0),
	}
	return nil
}

// Remote returns the host that the sound is sent to, or "" if it stays on this machine.
func (t *Transcriber) Remote() string {
	u, err := url.Parse(t.url)
	if t.endpoint == nil || err != nil || u.Hostname() == "localhost" {
		return ""
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil && address.Unmap().IsLoopback() {
		return ""
	}
	return u.Hostname()
}

// Provenance says what recognises the speech: "profile", "program" and "version", or
// "server", and "model", "language" and "args" if they are set. The version of a program
// that tells none is the beginning of its SHA-256.
func (t *Transcriber) Provenance(ctx context.Context) (map[string]string, error) {
	p := map[string]string{"profile": t.name}
	set := func(key, value string) {
		if value != "" {
			p[key] = value
		}
	}
	set("model", modelName(t.options.Model))
	set("language", t.options.Language)
	set("args", strings.Join(t.options.Args, " "))
	if t.endpoint != nil {
		u, err := url.Parse(t.url)
		if err == nil {
			set("server", u.Host)
		}
		return p, err
	}
	set("program", filepath.Base(t.path))
	version, err := t.version(ctx)
	set("version", version)
	return p, err
}

// modelName returns a model without the folders that it is in.
func modelName(model string) string {
	if isPath(model) {
		return filepath.Base(model)
	}
	return model
}

func isPath(model string) bool { return strings.ContainsAny(model, `/\`) }

func (t *Transcriber) version(ctx context.Context) (string, error) {
	if t.name != anyProgram {
		if version, err := child.Version(ctx, t.path, "--version"); version != "" || err != nil {
			return version, err
		}
	}
	f, err := os.Open(t.path)
	if err != nil {
		return "", transcriberStart(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, ctxio.Reader(ctx, f)); err != nil {
		return "", localfile.WithoutPath(err)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))[:12], nil
}

// Transcribe recognises the speech in a WAV file. It returns what the program or the
// server wrote, of at most 8 MiB; for more, the error matches [citekit.ErrTooLarge]. The
// program is killed when ctx is done, with what it started if the system supports that.
func (t *Transcriber) Transcribe(ctx context.Context, wav string) ([]byte, error) {
	if t.endpoint != nil {
		return t.ask(ctx, wav)
	}
	localfile.SweepScratch(scratchPrefix)
	dir, err := localfile.NewScratch(scratchPrefix)
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	args, file := t.profile.args(wav, dir.Path("out"), &t.options)
	if t.name != anyProgram {
		args = append(slices.Clone(t.options.Args), args...)
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watchScratch(limited, dir.Path(), cancel)
	program := child.Program{
		Path: t.path, Args: args, Dir: dir.Path(), Env: t.environment(dir.Path()),
		MaxOutput: maxRecognised, MaxComplaint: maxComplaint,
		Timeout: t.options.Timeout.Duration(transcriberTimeout), PipeDelay: commandPipeDelay,
	}
	result, err := program.Run(limited)
	if err := t.failure(ctx, limited, program, result, err, dir.Path(), filepath.Dir(wav)); err != nil {
		return nil, err
	}
	if file == "" || t.name == anyProgram && len(bytes.TrimSpace(result.Output)) > 0 {
		return result.Output, nil
	}
	output, err := readOutput(file)
	if err != nil { // most of these programs end with 0 whatever they complain of
		err = fmt.Errorf("%w%s", err, complaint(result, dir.Path(), filepath.Dir(wav)))
	}
	return output, err
}

// complaint returns the last words of a program, without the folders of this process.
func complaint(result child.Result, folders ...string) string {
	words := result.Complaint
	for _, dir := range folders {
		words = strings.ReplaceAll(words, dir+string(filepath.Separator), "")
	}
	return lastWords(words)
}

// environment is what the program gets of that of this process.
func (t *Transcriber) environment(dir string) []string {
	own := []string{"PYTHONIOENCODING=utf-8", "PYTHONUTF8=1", "TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir}
	return child.Environment(own, append([]string{
		"HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HF_HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
		"LANG", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "VOSK_MODEL_PATH",
	}, t.options.Env...)...)
}

// watchScratch ends a program that writes too much to a folder.
func watchScratch(ctx context.Context, dir string, cancel context.CancelCauseFunc) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		sum := int64(0)
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
			return ctx.Err()
		})
		if sum > maxScratch {
			cancel(errScratch)
			return
		}
	}
}

var errScratch = fmt.Errorf("the transcriber wrote more than %d MiB to files: %w", maxScratch>>20, citekit.ErrTooLarge)

// failure explains why a run failed, without the folders of this process.
func (t *Transcriber) failure(ctx, limited context.Context, p child.Program, result child.Result, err error, folders ...string) error {
	words := complaint(result, folders...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(limited), errScratch):
		return errScratch
	case errors.Is(err, child.ErrOutput):
		return fmt.Errorf("the transcriber printed more than %d MiB for one piece: %w", maxRecognised>>20, citekit.ErrTooLarge)
	case errors.Is(err, child.ErrTimeout):
		return fmt.Errorf("the transcriber was still running after %v; raise its timeout, or take a smaller model: %w%s", p.Timeout, os.ErrDeadlineExceeded, words)
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("the transcriber ended, but a program it started holds its output open")
	case errors.As(err, &exit):
		return fmt.Errorf("the transcriber failed (%v)%s", exit.ProcessState, words)
	}
	return transcriberStart(err)
}

// transcriberStart describes why a program cannot be run, without its path.
func transcriberStart(err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		err = fs.ErrNotExist
	case errors.Is(err, exec.ErrDot):
		return errors.New(`the transcriber is in the working directory; write "./" before its name`)
	default:
		err = localfile.WithoutPath(err)
	}
	return fmt.Errorf("the transcriber cannot be run: %w", err)
}

// readOutput reads a file that a program wrote. It may be anything.
func readOutput(file string) ([]byte, error) {
	wrong := func(what string, is error) ([]byte, error) {
		return nil, fmt.Errorf("the transcriber %s where its profile writes: %w", what, is)
	}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrong("wrote no file", citekit.ErrFormat)
	case err != nil:
		return nil, localfile.WithoutPath(err)
	case !info.Mode().IsRegular(): // such as a link to the file of somebody else
		return wrong("left something that is no file", citekit.ErrFormat)
	case info.Size() > maxRecognised:
		return wrong(fmt.Sprintf("wrote more than %d MiB", maxRecognised>>20), citekit.ErrTooLarge)
	}
	data, err := os.ReadFile(file)
	return data, localfile.WithoutPath(err)
}

// ask sends a sound to the server.
func (t *Transcriber) ask(ctx context.Context, wav string) ([]byte, error) {
	sound, err := os.ReadFile(wav)
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fields := [][2]string{
		{"model", cmp.Or(t.options.Model, "whisper-1")}, {"response_format", "verbose_json"},
		{"timestamp_granularities[]", "segment"}, {"timestamp_granularities[]", "word"},
	}
	if t.options.Language != "" {
		fields = append(fields, [2]string{"language", t.options.Language})
	}
	for _, f := range fields {
		err = cmp.Or(err, form.WriteField(f[0], f[1]))
	}
	part, partErr := form.CreateFormFile("file", "sound.wav")
	if err = cmp.Or(err, partErr); err == nil {
		_, err = part.Write(sound)
	}
	if err = cmp.Or(err, form.Close()); err != nil {
		return nil, err
	}
	reply, err := t.endpoint.Do(ctx, Call{
		Method: http.MethodPost, URL: t.url, Body: body.Bytes(), Header: http.Header{"Content-Type": {form.FormDataContentType()}},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("the transcriber: %w", err)
	}
	return reply.Body, nil
}
