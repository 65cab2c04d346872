package llm_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapper/llm"
)

var _ ingest.Transcriber = (*llm.Transcriber)(nil)

const said = "1\n00:00:00,500 --> 00:00:01,500\nso far\n"

// performTranscriber is what this program does as a transcriber.
func performTranscriber(args []string) {
	value := func(option string) string {
		if i := slices.Index(args, option); i >= 0 {
			return args[i+1]
		}
		return ""
	}
	write := func(file, content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if profile := os.Getenv(actProfile); profile != "" {
		performRecogniser(profile, args)
		return
	}
	wav := args[len(args)-1]
	switch args[0] {
	case "say":
		if data, err := os.ReadFile(wav); err != nil || string(data) != "RIFF" {
			fmt.Fprintln(os.Stderr, "no sound", err)
			os.Exit(1)
		}
		fmt.Print(said)
	case "write":
		write(value("--to"), said)
	case "hang":
		write(value("--to"), "started")
		r, w, _ := os.Pipe()
		_, _ = r.Read(make([]byte, 1)) // for ever
		w.Close()
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	case "fill":
		f, err := os.Create(value("--to"))
		for ; err == nil; _, err = f.Write(make([]byte, 1<<20)) {
		}
	case "large":
		write(value("--to"), strings.Repeat("a", 9<<20))
	case "link":
		if err := os.Symlink(value("--other"), value("--to")); err != nil {
			os.Exit(1)
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "cannot read "+wav)
		os.Exit(3)
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	}
}

const actProfile = "CITEKIT_TEST_PROFILE"

// A recogniser is the command line of a program, and where it writes, as its source has them.
type recogniser struct {
	values  []string // options that have a value
	flags   []string
	must    []string
	models  []string // that -m or --model takes; none means any
	options int      // exit code for an option that it does not have
	sound   string   // option before the sound; "" means it is an argument
	write   func(value func(option string) string, wav string) string
}

var recognisers = map[string]recogniser{
	"whisper.cpp": { // examples/cli/cli.cpp
		values: []string{"-m", "-l", "-of", "-f", "-t"}, flags: []string{"-np", "-ojf", "-nt"}, must: []string{"-m", "-f"}, sound: "-f",
		write: func(value func(string) string, _ string) string { return value("-of") + ".json" },
	},
	"openai-whisper": { // whisper/transcribe.py
		values: []string{"--model", "--model_dir", "--language", "--word_timestamps", "--verbose", "--output_format", "--output_dir", "--device"}, options: 2, write: whisperWrites,
	},
	"faster-whisper": { // Softcatala/whisper-ctranslate2, commandline.py
		values: []string{"--model", "--model_directory", "--language", "--word_timestamps", "--verbose", "--output_format", "--output_dir", "--device", "--compute_type"}, options: 2, write: whisperWrites,
		models: []string{"tiny", "base", "small", "large-v3"},
	},
	"vosk": { // python/vosk/transcriber/cli.py
		values: []string{"-m", "-n", "-l", "-i", "-o", "-t", "-ts", "--log-level"}, options: 2, sound: "-i",
		write: func(value func(string) string, _ string) string { return value("-o") },
	},
	"pocketsphinx": { // programs/continuous.c of 0.8
		values: []string{"-hmm", "-lm", "-dict", "-jsgf", "-infile", "-time", "-logfn"}, options: 1, sound: "-infile",
		write: func(func(string) string, string) string { return "" },
	},
	"pocketsphinx5": { // programs/pocketsphinx_main.c of 5.0
		values: []string{"-hmm", "-lm", "-dict", "-jsgf"}, flags: []string{"live", "single"}, options: 1,
		write: func(func(string) string, string) string { return "" },
	},
}

// whisperWrites is what both whispers of Python do.
func whisperWrites(value func(string) string, wav string) string {
	if value("--output_format") != "json" || value("--word_timestamps") != "True" {
		return ""
	}
	return filepath.Join(value("--output_dir"), strings.TrimSuffix(filepath.Base(wav), filepath.Ext(wav))+".json")
}

// performRecogniser does what the real program does with arguments.
func performRecogniser(name string, args []string) {
	r, given, wav := recognisers[name], make(map[string]string), ""
	fail := func(code int, format string, values ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", values...)
		os.Exit(code)
	}
	for i := 0; i < len(args); i++ {
		switch {
		case slices.Contains(r.values, args[i]) && i+1 < len(args):
			given[args[i]] = args[i+1]
			i++
		case slices.Contains(r.flags, args[i]):
		case strings.HasPrefix(args[i], "-"):
			fail(r.options, "error: unknown argument: %s", args[i])
		default:
			wav = args[i]
		}
	}
	model := given["--model"]
	switch {
	case slices.ContainsFunc(r.must, func(o string) bool { return given[o] == "" }):
		fail(1, "error: an option is missing")
	case model != "" && r.models != nil && !slices.Contains(r.models, model):
		fail(2, "error: argument --model: invalid choice: %s", model)
	}
	if r.sound != "" {
		wav = given[r.sound]
	}
	if data, err := os.ReadFile(wav); err != nil || string(data) != "RIFF" {
		fail(0, "Skipping %s due to RuntimeError: Failed to load audio", wav)
	}
	file := r.write(func(option string) string { return given[option] }, wav)
	if file == "" {
		fmt.Print(said)
	} else if err := os.WriteFile(file, []byte(said), 0o600); err != nil {
		fail(1, "%v", err)
	}
}

// transcriber returns this program as a transcriber, and a sound.
func transcriber(t *testing.T, opts llm.TranscriberOptions) (tr *llm.Transcriber, wav string) {
	t.Helper()
	t.Setenv(act, "transcriber")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opts.Env = append(opts.Env, act)
	if tr, err = llm.NewTranscriber(self, &opts); err != nil {
		t.Fatal(err)
	}
	wav = filepath.Join(t.TempDir(), "sound.wav")
	if err := os.WriteFile(wav, []byte("RIFF"), 0o600); err != nil {
		t.Fatal(err)
	}
	return tr, wav
}

func TestTranscriber(t *testing.T) {
	sharedtest.Once(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		want error
		long bool
	}{
		{"standard output", []string{"say"}, nil, false},
		{"sound in the middle", []string{"write", "--sound", "{wav}", "--to", "{out}"}, nil, false},
		{"flood", []string{"flood"}, citekit.ErrTooLarge, false},
		{"a full disk", []string{"fill", "--to", "{out}"}, citekit.ErrTooLarge, true},
		{"a large file", []string{"large", "--to", "{out}"}, citekit.ErrTooLarge, false},
		{"no file", []string{"nothing", "{out}"}, citekit.ErrFormat, false},
		{"somebody else's file", []string{"link", "--other", secret, "--to", "{out}"}, citekit.ErrFormat, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.long && !sharedtest.Long() {
				t.Skip("it writes 256 MiB")
			}
			if test.args[0] == "link" && runtime.GOOS == "windows" {
				t.Skip("links need a privilege")
			}
			tr, wav := transcriber(t, llm.TranscriberOptions{Args: test.args})
			output, err := tr.Transcribe(t.Context(), wav)
			if !errors.Is(err, test.want) || test.want == nil && string(output) != said {
				t.Errorf("%q, %v", output, err)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), os.TempDir())) {
				t.Errorf("it shows a path: %v", err)
			}
		})
	}
	tr, wav := transcriber(t, llm.TranscriberOptions{Args: []string{"fail"}})
	if _, err := tr.Transcribe(t.Context(), wav); err == nil || !strings.Contains(err.Error(), "cannot read sound.wav") {
		t.Errorf("a failure: %v", err)
	}
}

func TestTranscriberCancelled(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	tr, wav := transcriber(t, llm.TranscriberOptions{Args: []string{"hang", "--to", started, "{wav}"}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := tr.Transcribe(ctx, wav)
		ended <- err
	}()
	for !exists(started) {
		select {
		case err := <-ended:
			t.Fatalf("it did not start: %v", err)
		default:
			runtime.Gosched()
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func TestTranscriberEnvironment(t *testing.T) {
	t.Setenv("CITEKIT_SECRET", "x")
	t.Setenv("CITEKIT_GIVEN", "y")
	tr, wav := transcriber(t, llm.TranscriberOptions{Args: []string{"env"}, Env: []string{"CITEKIT_GIVEN"}})
	output, err := tr.Transcribe(t.Context(), wav)
	if err != nil || strings.Contains(string(output), "CITEKIT_SECRET") || !strings.Contains(string(output), "CITEKIT_GIVEN=y") {
		t.Errorf("%s, %v", output, err)
	}
}

// TestTranscriberProfiles calls what has the command lines of the real programs.
func TestTranscriberProfiles(t *testing.T) {
	sharedtest.Once(t)
	for _, test := range []struct{ name, model string }{
		{"whisper.cpp", "/models/base.bin"}, {"openai-whisper", "base"}, {"openai-whisper", "/models/own.pt"}, {"openai-whisper", ""},
		{"faster-whisper", "base"}, {"faster-whisper", "/models/own"}, {"vosk", "/models/vosk"}, {"vosk", "vosk-model-small-en-us-0.15"}, {"vosk", ""},
		{"pocketsphinx", ""}, {"pocketsphinx", "/models/en"}, {"pocketsphinx5", ""}, {"pocketsphinx5", "/models/en"},
	} {
		t.Setenv(actProfile, test.name)
		for _, language := range []string{"", "en"} {
			tr, wav := transcriber(t, llm.TranscriberOptions{Profile: test.name, Model: test.model, Language: language, Env: []string{actProfile}})
			output, err := tr.Transcribe(t.Context(), wav)
			if err != nil || string(output) != said {
				t.Errorf("%v: %q, %v", test, output, err)
			}
			p, err := tr.Provenance(t.Context())
			if err != nil || p["profile"] != test.name || p["program"] == "" || p["version"] == "" || p["model"] != filepath.Base(test.model) && test.model != "" {
				t.Errorf("%v: %v, %v", test, p, err)
			}
		}
	}
	// Programs that end with 0 and write no file say why on their standard error.
	t.Setenv(actProfile, "openai-whisper")
	for _, test := range []struct {
		args []string
		file string
		want string
	}{
		{nil, "sound.mp3", "wrote no file where its profile writes: source cannot be read: Skipping sound.mp3 due to RuntimeError"},
		{[]string{"--no-such"}, "", "error: unknown argument: --no-such"},
	} {
		tr, wav := transcriber(t, llm.TranscriberOptions{Profile: "openai-whisper", Args: test.args, Env: []string{actProfile}})
		_, err := tr.Transcribe(t.Context(), filepath.Join(filepath.Dir(wav), cmp.Or(test.file, filepath.Base(wav))))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), os.TempDir()) {
			t.Errorf("%v: %v", test, err)
		}
	}
}

func TestNewTranscriber(t *testing.T) {
	for _, test := range []struct {
		name string
		opts llm.TranscriberOptions
		want error
	}{
		{"citekit-no-such-program", llm.TranscriberOptions{}, fs.ErrNotExist},
		{"whisper.cpp", llm.TranscriberOptions{}, citekit.ErrSyntax},
		{"x", llm.TranscriberOptions{Profile: "no such"}, citekit.ErrSyntax},
		{"x", llm.TranscriberOptions{KeyEnv: "KEY"}, citekit.ErrSyntax},
		{"http://127.0.0.1:1/v1", llm.TranscriberOptions{Args: []string{"x"}}, citekit.ErrSyntax},
		{"http://user?x", llm.TranscriberOptions{}, citekit.ErrSyntax},
	} {
		if _, err := llm.NewTranscriber(test.name, &test.opts); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for name, remote := range map[string]string{
		"http://127.0.0.1:8080/v1": "", "http://localhost/v1": "", "http://[::1]:8080/v1": "", "https://speech.example.com/v1": "speech.example.com",
	} {
		if tr, err := llm.NewTranscriber(name, nil); err != nil || tr.Remote() != remote {
			t.Errorf("%s: %q, %v", name, tr.Remote(), err)
		}
	}
}

func TestTranscriberServer(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away/audio/transcriptions" {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return
		}
		file, _, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		sound, _ := io.ReadAll(file)
		if r.URL.Path != "/v1/audio/transcriptions" || r.Header.Get("Authorization") != "Bearer key" || string(sound) != "RIFF" ||
			r.FormValue("model") != "base" || r.FormValue("response_format") != "verbose_json" || r.FormValue("language") != "en" {
			t.Errorf("%s %v %q", r.URL, r.Form, sound)
		}
		io.WriteString(w, `{"segments": []}`)
	}))
	defer server.Close()
	t.Setenv("SPEECH_KEY", "key")
	_, wav := transcriber(t, llm.TranscriberOptions{})
	for path, ok := range map[string]bool{"/v1": true, "/away": false} {
		tr, err := llm.NewTranscriber(server.URL+path, &llm.TranscriberOptions{Model: "base", Language: "en", KeyEnv: "SPEECH_KEY"})
		if err != nil {
			t.Fatal(err)
		}
		output, err := tr.Transcribe(t.Context(), wav)
		if (err == nil) != ok || ok && string(output) != `{"segments": []}` {
			t.Errorf("%s: %q, %v", path, output, err)
		}
	}
}
