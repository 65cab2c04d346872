package code_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/code"
)

func FuzzJava(f *testing.F)   { fuzzBraces(f, code.Java) }
func FuzzC(f *testing.F)      { fuzzBraces(f, code.C) }
func FuzzCPP(f *testing.F)    { fuzzBraces(f, code.CPP) }
func FuzzCSharp(f *testing.F) { fuzzBraces(f, code.CSharp) }
func FuzzRust(f *testing.F)   { fuzzBraces(f, code.Rust) }
func FuzzKotlin(f *testing.F) { fuzzBraces(f, code.Kotlin) }
func FuzzSwift(f *testing.F)  { fuzzBraces(f, code.Swift) }
func FuzzSQL(f *testing.F)    { fuzzBraces(f, code.SQL) }

func fuzzBraces(f *testing.F, lang code.Language) {
	fuzz(f, lang,
		"", "\n", "class A {\n void f(int a) { }\n}\n", "}{)(][", "\"", "'", "/*", "//", "#", "#if\n#else\n{\n#endif", "R\"(", "r#\"", "$@\"{",
		"\"\"\"${\"", "#\"\\#(", "`", "@", "fun <T> List<T>.f() =\n 1", "func f()\n{}", "impl<T> A for B<T> {", "typedef struct { } x;",
		"template <class T> A<T>::~A() : b{1} { }", "operator()() {}", "int f(a) int a; { }", "#define F(x) \\\n x\n",
		"CREATE FUNCTION f() AS $a$;$a$;", "DELIMITER $$\nCREATE PROCEDURE p() BEGIN END$$", "create table [a b].\"c\"(x)\ngo",
		"enum E { A { void f() {} }; }", "record R(int x) { R { } }", "namespace a::b { }", "x = new A<B, C>() { void f() { } };",
	)
}

// hostile are sources that are long in one respect.
func hostile(size int) map[string][]byte {
	repeat := func(s string) []byte { return []byte(strings.Repeat(s, size/len(s))) }
	cases := make(map[string][]byte)
	for _, s := range []string{
		"(", "{", "[", "<", "\"", "'", "`", "#", "$", "@", "/*", "*/", "\\", ")", "}", ":", "::", ",", ";", "a ", "a", "1", "\n",
		"{\n", "(\n", "class A {\n", "a<", "a<b,", "${\"", "\"${", "\\(\"", "\"\\(", "$\"{", "{{", "#if\n", "#else\n", "#if\n#else\n{\n", "#if\n#else\n", "#endif\n",
		"r#\"", "R\"(", "\"\"\"", "fun f() = ", "func f(", "fn f(", "new A<", "@A(", "operator ", "template <", "a::", "A<b>::", "f(x) ", "int a; ",
		"BEGIN ", "CREATE ", "CREATE FUNCTION f AS BEGIN ", "$a$", "END ", "CASE ", "[a", "typedef struct {", "typedef struct {} a;", "enum {", "class\n@A\n", "impl ", "-- \n", "delimiter a\n",
		"public\n", "static\n", "companion\n", "@A\n",
	} {
		cases[s] = repeat(s)
	}
	return cases
}

// TestHostile reads long sources of one thing only; that this ends is what is
// tested.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	size := 1 << 12
	if sharedtest.Long() {
		size = 1 << 21
	}
	for _, lang := range braceLanguages {
		for name, src := range hostile(size) {
			structure, err := code.Map(context.Background(), lang, src)
			if err != nil {
				t.Fatalf("%s: %q: %v", lang, name, err)
			}
			checkTree(t, structure.Nodes, citekit.Range{First: 1, Last: bytes.Count(src, []byte("\n")) + 1}, 0)
		}
	}
}

var braceLanguages = []code.Language{code.Java, code.C, code.CPP, code.CSharp, code.Rust, code.Kotlin, code.Swift, code.SQL}
