package code_test

import (
	"context"
	"testing"

	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality/text/internal/code"
)

// fuzz checks that whatever the source, the map has locations within it, in
// order, children in their parents, and is the same every time.
func fuzz(f *testing.F, lang code.Language, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		structure, err := code.Map(context.Background(), lang, src)
		if err != nil {
			t.Fatal(err)
		}
		linetest.CheckNodes(t, structure.Nodes, linetest.CountLines(src))
	})
}

func FuzzGo(f *testing.F) {
	fuzz(f, code.Go, "package p\n\n// F is f.\nfunc (r *R[T]) F(a struct{}) interface{ x() } { type t = struct{}\n}\ntype (\n\tI interface {\n\t\tM()\n\t}\n)\n", "type A[T any] `", "func (", "type a [", "\x8c/*")
}

func FuzzPython(f *testing.F) {
	fuzz(f, code.Python, "\"\"\"Doc.\"\"\"\n@d(\n)\nasync def f():\n\t'''x'''\n\tclass A: pass\n", " \\", "def f(\nclass A:\n  x = 'a\\\n'", "@")
}

func FuzzJavaScript(f *testing.F) {
	fuzz(f, code.JavaScript, "export default class A extends (b) { static x = () => {}; get [y]() { return /[/]/ } }\nexports.f = async (a = `${b}`) => <p a='{'>{c}it's</p>\n", "a = {b() {}, c: function() {}}", "f(x=>{", "<a b={<c/>}>", "(((((a", "`${`${")
}

func FuzzTypeScript(f *testing.F) {
	fuzz(f, code.TypeScript, "declare module 'm' { interface I<T> extends J { a?(b: {c: d}): e; new (): f } }\nabstract class A { @d() private abstract x(): void; y: z = (): q => {} }\ntype T = A extends B ? {c: 1} : D\nfunction f(): void;\n", "type a<b type a<b", "x = (a): b")
}

func FuzzTSX(f *testing.F) {
	fuzz(f, code.TSX, "const C = <T,>(p: P<T>): E => <A<T> b=\"c\">{...d}</A>\n", "<a", "x = <T extends U>(y) => z")
}

func FuzzRuby(f *testing.F) {
	fuzz(f, code.Ruby, "=begin\n=end\nmodule A::B\n  class << self\n    def x=(v) = y if z\n    def self.a?; <<~E + %w[a] + \"#{b}\"; end\n  E\n  end\nend\n", "def", "class <<", "x = <<A, <<-'B'\nA\n", "def a(", "while x do y end")
}

func FuzzPHP(f *testing.F) {
	fuzz(f, code.PHP, "<p><?php\nnamespace A\\B {\n#[C(\"]\")]\nfinal class D extends E { abstract function f(): g; function &h() { return new class { function i() {} }; } }\n}\n?>x<?= <<<E\n  E ?>", "<?php \"{$a[\"b\"]}\" function", "<?xml<?", "<?php #[")
}

func FuzzShell(f *testing.F) {
	fuzz(f, code.Shell, "#!/bin/sh\n# Does.\nf() {\n  case $x in a|'b') echo \"$(g \"${y#\\}}\")\" ;; esac\n}\nfunction h { cat <<-'E' <<F\n\tE\nF\n}\ni() ( ((j)) )\n", "f() {", "\"$(", "`\"`", "case", "a()\n#")
}

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
