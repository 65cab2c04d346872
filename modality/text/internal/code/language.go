package code

import (
	"bytes"
	"path"
	"strings"
)

// A Language is a programming language that [Map] can read.
type Language string

// The languages. TSX is TypeScript that may contain XML elements; JavaScript
// always may.
const (
	Go         Language = "go"
	Python     Language = "python"
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	Ruby       Language = "ruby"
	PHP        Language = "php"
	Shell      Language = "shell"
	Java       Language = "java"
	C          Language = "c"
	CPP        Language = "cpp"
	CSharp     Language = "csharp"
	Rust       Language = "rust"
	Kotlin     Language = "kotlin"
	Swift      Language = "swift"
	SQL        Language = "sql"
)

// LanguageOf returns the language of a source, recognised by its base name and its
// first bytes (a few kilobytes of UTF-8 are enough), and whether it is a supported
// one. A "#!" line or an opening PHP tag decides first, then the extension, or the
// whole name if that is fixed ("Rakefile").
//
// "#!/bin/sh" does not make a file a shell script if its extension names another
// language: the shell only starts it.
func LanguageOf(name string, head []byte) (Language, bool) {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	byName := languageOfName(path.Base(name), head)
	byContent := languageOfContent(head)
	switch {
	case byContent == "", byContent == Shell && byName != "", byContent == JavaScript && (byName == TypeScript || byName == TSX):
		return byName, byName != ""
	}
	return byContent, true
}

func languageOfContent(head []byte) Language {
	if bytes.HasPrefix(head, []byte("<?php")) {
		return PHP
	}
	first, _, _ := bytes.Cut(head, lineFeed)
	command, ok := bytes.CutPrefix(first, []byte("#!"))
	if !ok {
		return ""
	}
	language := interpreters[interpreter(string(command))]
	if language == PHP && !bytes.Contains(head, []byte("<?")) {
		return ""
	}
	return language
}

// interpreter returns the program that the "#!" line names, without its directory
// and version: "python" for "/usr/bin/env -S python3.12 -u".
func interpreter(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	program := path.Base(words[0])
	if program == "env" {
		program = ""
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				program = path.Base(word)
				break
			}
		}
	}
	return strings.TrimRight(program, "0123456789.-")
}

var interpreters = map[string]Language{
	"python": Python, "pypy": Python,
	"node": JavaScript, "nodejs": JavaScript,
	"deno": TypeScript, "bun": TypeScript, "ts-node": TypeScript, "tsx": TypeScript,
	"ruby": Ruby, "jruby": Ruby,
	"php": PHP,
	"sh":  Shell, "bash": Shell, "dash": Shell, "ash": Shell, "ksh": Shell, "mksh": Shell, "zsh": Shell, "bats": Shell,
	"rust-script": Rust, "swift": Swift, "kotlin": Kotlin,
}

func languageOfName(base string, head []byte) Language {
	if language, ok := names[base]; ok {
		return language
	}
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(base), "."))
	switch extension {
	case "h":
		return languageOfHeader(head)
	case "ts":
		if bytes.HasPrefix(bytes.TrimLeft(head, " \t\n"), []byte("<?xml")) || bytes.HasPrefix(head, []byte("<!DOCTYPE")) {
			return "" // Qt translations
		}
	case "inc":
		if bytes.Contains(head, []byte("<?php")) {
			return PHP
		}
	}
	return extensions[extension]
}

var names = map[string]Language{
	"Rakefile": Ruby, "Gemfile": Ruby, "Vagrantfile": Ruby, "Guardfile": Ruby, "Capfile": Ruby, "Podfile": Ruby, "Brewfile": Ruby,
	"SConstruct": Python, "SConscript": Python, "wscript": Python,
	"PKGBUILD": Shell, "APKBUILD": Shell, ".bashrc": Shell, ".bash_profile": Shell, ".bash_aliases": Shell, ".bash_logout": Shell,
	".profile": Shell, ".zshrc": Shell, ".zshenv": Shell, ".zprofile": Shell, ".kshrc": Shell,
}

var extensions = map[string]Language{
	"go": Go,
	"py": Python, "pyi": Python, "pyw": Python,
	"js": JavaScript, "mjs": JavaScript, "cjs": JavaScript, "jsx": JavaScript, "es6": JavaScript,
	"ts": TypeScript, "mts": TypeScript, "cts": TypeScript,
	"tsx": TSX,
	"rb":  Ruby, "rake": Ruby, "gemspec": Ruby, "ru": Ruby, "rbw": Ruby, "podspec": Ruby,
	"php": PHP, "phtml": PHP, "php3": PHP, "php4": PHP, "php5": PHP, "php7": PHP, "php8": PHP, "phps": PHP, "phpt": PHP,
	"sh": Shell, "bash": Shell, "zsh": Shell, "ksh": Shell, "dash": Shell, "bats": Shell, "ebuild": Shell, "eclass": Shell,
	"java": Java,
	"c":    C,
	"cc":   CPP, "cpp": CPP, "cxx": CPP, "c++": CPP, "cppm": CPP, "ixx": CPP,
	"hpp": CPP, "hh": CPP, "hxx": CPP, "h++": CPP, "ipp": CPP, "inl": CPP, "tpp": CPP, "tcc": CPP, "cu": CPP, "cuh": CPP, "ino": CPP,
	"cs": CSharp, "csx": CSharp,
	"rs": Rust,
	"kt": Kotlin, "kts": Kotlin,
	"swift": Swift,
	"sql":   SQL, "ddl": SQL, "psql": SQL, "pgsql": SQL,
}

// languageOfHeader tells C++ from C by line starts that only C++ has.
func languageOfHeader(head []byte) Language {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		for _, start := range cppStarts {
			if bytes.HasPrefix(line, start) {
				return CPP
			}
		}
		if bytes.HasPrefix(line, []byte("#include <")) && !bytes.Contains(line, []byte(".h>")) {
			return CPP
		}
	}
	return C
}

var cppStarts = [][]byte{
	[]byte("class "), []byte("namespace "), []byte("template<"), []byte("template <"), []byte("using "),
	[]byte("public:"), []byte("private:"), []byte("protected:"), []byte("constexpr "), []byte("virtual "), []byte("explicit "),
	[]byte("inline namespace "), []byte("friend "),
}
