package code_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

// Sources with two functions, and a statement in the first and behind it.
const (
	rubySource   = "def first\n%[1]s\nend\n%[1]s\ndef last; end\n"
	scriptSource = "function first() {\n%[1]s\n}\n%[1]s\nfunction last() {}\n"
	shellSource  = "first() {\n%[1]s\n}\n%[1]s\nlast() { :; }\n"
)

// TestBetween puts statements that may mislead a scanner into a function and behind it:
// they declare nothing and hide nothing.
func TestBetween(t *testing.T) {
	for _, test := range []struct {
		lang       code.Language
		source     string
		statements []string
	}{
		{code.Ruby, rubySource, []string{
			"alias old new", "undef gone", "alias def end", "x \\\n  if y", "p(a ? b : c)", "p(a ?b :c)",
			`h = { "def x": 1, 'end': 2, if: 3, y?: 4 }`, "@@count = $; || $, || $\"", "$stdout << $1", "@def = @end",
			`puts :"def a", :'def b', :name?, :name=, :[]=, :+, :<=>, :end`, "x ? :a : :b", "x = { :a=>1, :b => 2 }",
			"%w[def a end]", "%q{def {a} }", "%(def (c))", "%r{def d}i", "%i<def e>", "%|def f|", "5 %w", "a %= 3",
			`[?d, ?\n, ?é, ?"]`, "(a..b)", "(a...b)", "a && b", "a || b", "a ||= b", "a == b", "a != b", "a !~ b", "a =~ /def z/", "a <=> b", "a / b; c / d",
			`"a #{h['}']} #{"}"} #{?"} #{$;} def"`, `"\"def q"`, `'\'def q'`, "`def #{q}`", "f.class", "x.def", "obj.end", "x&.if", "self.class::X", "Foo::end",
			"<<~A + <<-'B'\n  def #{a}\n  A\n  def b #{\n  B", "# def x", "=begin\ndef x\n=end", "a = if b then c else d end", "while a do b end", "f do |x| end", "f { |x| { x => 1 } }",
			"begin\nrescue\nend", "x = y if z", "x while y", "return unless x", "not a", "a ? x.b? : c", "case a when 1 then 2 end", "-> (x) { x }", "->(x) do end",
		}},
		{code.JavaScript, scriptSource, []string{
			"if (a) { b() } else { c() }", "if (a) b(); else if (c) d()", "do { x() } while (y)", "do x(); while (y)", "for (const a of b) {}", "for (;;) {}",
			"a = b ? { c } : d", "a = b ? c : { d: e }", "r = /[/]function g() {}/.test(x)", "r = /\\/function g() {/", "r = a / b; s = c / d", "x = a++ / b",
			"`a ${ `b ${ /}/ } ` } function x() {}`", "`${ a // }\n}`", "`${ '}' + \"}\" }`", "`\\` function x() {`", "`${{}} ${ a /* } */ }`",
			"a ??= b", "a ||= b; a &&= c", "a = b ?? c", "a?.b?.(c)", "a?.5:1", "a === b; a !== b; a == b; a != b", "a += 1; a -= 1; a *= 2; a **= 2; a >>>= 1", "x++\ny--", "x = a <= b >= c",
			"x = -y; x = +y; x = ~y; x = !y", "here: for (;;) { continue here }", "({ function: 1, class: 2 })", "x = { if() {}, for: 1, [a]: 2, 'b c': 3, 4: 5, ...d }.e",
			"x.function = y.class", "x = y.if(a) / 2", "new.target", "const { a, b: [c] } = d", "let e = (a, b)\nlet f2 = [a, b]", "x = typeof y; void z; delete z.a",
			"switch (a) { case 'function': b(); default: { c() } }", "try { a() } catch { b() } finally { c() }", "/* function x() { */", "throw a", "x = a\u00a0+ b",
			"a = b\n/c/g", "f(a)(b)[c]`d`", "x = (1, 2, [3, { y: 4 }])", "import('x')", "x = yield_ * 2", "if (a) /function g() {/.test(b)", "debugger", "a = b in c; a = b instanceof c",
		}},
		{code.TypeScript, scriptSource, []string{
			"a = b as C; a = b satisfies D", "a = b!", "a = b! + c!.d", "a = <B>c", "f<A, B<C>>(d)", "x = a < b; y = c > d", "let a: B | C = d", "let e: (a: B) => C = f", "let g: { a: B; c?: D } = h",
			"let j: typeof k[0] = l", "let m: A extends B ? C : D = n", "let o: import('x').Y = p", "let q: `a${B}` = r", "let s: [a: A, b?: B, ...c: C[]] = t", "let u!: A", "let v: A<B<C>>= w",
			"for (let a: B; ;) {}", "const f3 = a as unknown as { b(): C }", "x = a ? (b) : c", "let y: unique symbol", "let z: -1 | 'a' | keyof B | readonly C[]", "try {} catch (e: unknown) {}",
		}},
		{code.Shell, shellSource, []string{
			`x=$'it\'s f() {'`, `echo "$(echo "f() {")"`, `x=${a:-"x}"}`, `x="${a:-'}"`, `x=${a:-'}'}`, "x=$((1 + $(echo \"2\")))", "x=$(( (1) + 2 ))", `x=$(( "${a}" + '1' ))`, `cat <<< "f() {"`,
			"case $x in a) b ;; (c|d) e ;; esac", "case x in esac", "cat << EOF\nf() {\n$(a)\nEOF", "cat <<'EOF'\nf() {\nEOF", "cat <<-\"EOF\"\n\tf() {\n\tEOF", "cat << \\EOF\nf() {\nEOF", "[[ a < b && c > d ]]", "a > b 2>&1 < c", "x=1 \\\n  y=2 z", "((i < 3))", "for ((i = 0; i < 3; i++)); do :; done",
			"# f() {", "echo function f '() {'", "echo a#b", "if a; then b; fi", "while a; do b; done", "echo $#", "echo ${#a} ${a##*/}", "x=`echo f`", "x=(a b)", "a && { b; } || ( c )", "diff <(a) >(b)", "echo \\' \\\"", "select a in b; do c; done", "until a; do b; done", "! a", "time a", "echo $[1+2]", `x="a\"b()"`, "echo ~",
		}},
	} {
		for _, statement := range test.statements {
			lines := strings.Count(statement, "\n") + 1
			want := fmt.Sprintf("first 1-%d, last %[2]d-%[2]d", 2+lines, 3+2*lines)
			var got []string
			for _, d := range flatten(t, test.lang, fmt.Appendf(nil, test.source, statement)) {
				got = append(got, fmt.Sprintf("%s %d-%d", d.Name, d.First, d.Last))
			}
			if all := strings.Join(got, ", "); all != want {
				t.Errorf("%s with %q: %s, want %s", test.lang, statement, all, want)
			}
		}
	}
}
