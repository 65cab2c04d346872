package llm_test

import (
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
	case "-m", "-infile", "--model", "-n": // of profiles
		fmt.Fprint(os.Stderr, strings.Join(args, " "))
		switch {
		case value("-of") != "":
			write(value("-of")+".json", said)
		case value("--output_dir") != "":
			write(filepath.Join(value("--output_dir"), "sound.json"), said)
		case value("-o") != "":
			write(value("-o"), said)
		default:
			fmt.Print(said)
		}
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

// TestTranscriberProfiles checks what programs are called with, and where their output is.
func TestTranscriberProfiles(t *testing.T) {
	for name, model := range map[string]string{"whisper.cpp": "/models/base.bin", "openai-whisper": "base", "faster-whisper": "base", "vosk": "/models/vosk", "pocketsphinx": ""} {
		tr, wav := transcriber(t, llm.TranscriberOptions{Profile: name, Model: model})
		output, err := tr.Transcribe(t.Context(), wav)
		if err != nil || string(output) != said {
			t.Errorf("%s: %q, %v", name, output, err)
		}
		p, err := tr.Provenance(t.Context())
		if err != nil || p["profile"] != name || p["program"] == "" || p["version"] == "" || p["model"] != filepath.Base(model) && model != "" {
			t.Errorf("%s: %v, %v", name, p, err)
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
