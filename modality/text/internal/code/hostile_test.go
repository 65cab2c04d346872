package code_test

import (
	"context"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/code"
)

// TestRepeatedPieces maps sources in which each piece makes a scanner look ahead or
// remember something. It takes long if that is more than linear: the same
// pieces on one line, a thousand times as many as a person would write.
func TestRepeatedPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	size := 1 << 12
	if sharedtest.Long() {
		size = 1 << 22
	}
	all := map[code.Language][]string{
		code.Go:     {"(", "{", "func f(){", "type a struct{", "type a [", "/**/", "x/**/", "`", "\"", "func (a", "type (", "//\n"},
		code.Python: {"(", "def f(", "def f():\n ", "\"", "'''", "\\\n", "@", "#", " ", "class ", "\"\"\"\\"},
		code.JavaScript: {"(", "{", "`${", "`", "/[", "(/[", "=(a", "a=(", "a=>{", "<a ", "<a>", "<a b={", "class a{", "class a extends(", "function a(", "{a(", "{a:", "x=a=>",
			"@a(", "/**/", "a?", "async ", "export default ", "const a=", "const {", "'", "a=function(){}(", "// \n"},
		code.TypeScript: {"<", "a<b", "type a<", "type a=", "type a<b ", "interface a ", "interface a{", "interface a{b(", "=(a):", "=(a):[", "=<a", "class a{b:", "class a<", "namespace a{",
			"enum a{", "abstract ", "declare ", "function a():", "let a:", "a as ", "type a = b ? ", "keyof "},
		code.TSX:   {"<a", "<a<", "<a>{", "=<a,>("},
		code.Ruby:  {"def a(", "def a", "def (", "class A;", "class <<", "\"#{", "<<A ", "<<~'", "<<\"", "%w(", "/", "a /", "if ", "while ", "do ", "{", "(", "=begin\n", "?", ":\"", "def a=", "end ", "a.\n"},
		code.PHP:   {"<?php ", "<?", "<?xml", "<?//?>", "{", "(", "function a(", "class a{", "new class(", "\"{$", "<<<A\n", "#[", "/*", "//", "'", "namespace a{", "<?php {", "<?php function a(", "<?php \"{$", "<?php class a"},
		code.Shell: {"f(){", "f()", "f()\n", "\"$(", "`", "(`", "${", "$((", "((", "case a in ", "case ", "<<a ", "<<-a", "'", "{ ", "} ", ")", "function a ", "a() #\n", ";;"},
	}
	for _, lang := range []code.Language{code.Java, code.C, code.CPP, code.CSharp, code.Rust, code.Kotlin, code.Swift, code.SQL} {
		all[lang] = bracePieces
	}
	for lang, pieces := range all {
		for _, piece := range pieces {
			for _, end := range []string{"", "\n"} {
				src := []byte(strings.Repeat(piece+end, size/(len(piece)+len(end))))
				structure, err := code.Map(context.Background(), lang, src)
				if err != nil {
					t.Fatalf("%s: %q: %v", lang, piece, err)
				}
				linetest.CheckNodes(t, structure.Nodes, linetest.CountLines(src))
			}
		}
	}
}

// bracePieces are pieces of languages with brackets, and of SQL.
var bracePieces = []string{
	"(", "{", "[", "<", "\"", "'", "`", "#", "$", "@", "/*", "*/", "\\", ")", "}", ":", "::", ",", ";", "a ", "a", "1", "\n",
	"{\n", "(\n", "class A {\n", "a<", "a<b,", "${\"", "\"${", "\\(\"", "\"\\(", "$\"{", "{{", "#if\n", "#else\n", "#if\n#else\n{\n", "#if\n#else\n", "#endif\n",
	"r#\"", "R\"(", "\"\"\"", "fun f() = ", "func f(", "fn f(", "new A<", "@A(", "operator ", "template <", "a::", "A<b>::", "f(x) ", "int a; ",
	"BEGIN ", "CREATE ", "CREATE FUNCTION f AS BEGIN ", "$a$", "END ", "CASE ", "[a", "typedef struct {", "typedef struct {} a;", "enum {", "class\n@A\n", "impl ", "-- \n", "delimiter a\n",
	"public\n", "static\n", "companion\n", "@A\n",
}
