package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestJava(t *testing.T) {
	testBraces(t, code.Java, []braceCase{
		{"members", `
			package a.b;

			/** Holds things. And more. */
			@Deprecated
			public class Box<T extends Comparable<T>> {
			    private int[] sizes = {1, 2};
			    static { init(); }

			    /** Makes one. */
			    public Box(int size) {
			        super();
			    }

			    @Override
			    @SuppressWarnings({"a", "b"})
			    public <R> R map(Function<? super T, ? extends R> f)
			            throws IOException {
			        return f.apply(v);
			    }

			    abstract int size();
			    int later() default 3;
			    Runnable r = () -> { run(); };
			    native void n();
			}
		`, `
			class Box 4-25 // Holds things. And more.
				method Box 10-12 // Makes one.
				method map 14-19
				method size 21-21
				method later 22-22
				method n 24-24
		`},
		{"kinds", `
			interface A { void a(); default void b() { } }
			enum B {
			    ONE(1) { int f() { return 1; } },
			    TWO { int f() { return 2; } };
			    B(int... x) { }
			    int f() { return 0; }
			}
			record P(int x, int y) {
			    P {
			        check(x);
			    }
			    static P of() { return new P(1, 2); }
			}
			@interface C { String value() default "{"; }
			sealed interface S permits T {}
		`, `
			interface A 1-1
				method a 1-1
				method b 1-1
			enum B 2-7
				method f 3-3
				method f 4-4
				method B 5-5
				method f 6-6
			class P 8-13
				method P 9-11
				method of 12-12
			interface C 14-14
				method value 14-14
			interface S 15-15
		`},
		{"inner", `
			class A {
			    void f() {
			        foo(new Map<String, List<X>>() {
			            @Override public void run() {
			            }
			        }, 3);
			        class Local { void g() { } }
			        String s = """
			            class Not { void x() {
			            \""" }
			            """;
			        char c = '{', d = '\'';
			        Class<?> k = A.class;
			        switch (x) { case 1 -> { y(); } default -> z(); }
			    }
			    // } class Not {
			    Object o = new Object() { public String toString() { return "}"; } };
			    void last() { }
			}
		`, `
			class A 1-19
				method f 2-15
					method run 4-5
					class Local 7-7
						method g 7-7
				method toString 17-17
				method last 18-18
		`},
		{"unclosed", `
			class A {
			    void f() { g(; }
			    void h() { }
		`, `
			class A 1-3
				method f 2-2
				method h 3-3
		`},
	})
}
