package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestCSharp(t *testing.T) {
	testBraces(t, code.CSharp, []braceCase{
		{"members", `
			using System;
			[assembly: Foo("x")]
			namespace A.B
			{
			    /// <summary>
			    /// Holds <see cref="T"/> things.
			    /// </summary>
			    [Serializable]
			    public class Box<T> : IBox where T : class, new()
			    {
			        public int Size { get; set; } = 5;
			        public int Double => Size * 2;
			        public Box(int x) : base(x) { }
			        ~Box() { }
			        public T this[int i] { get { return a[i]; } }
			        public static Box<T> operator +(Box<T> a, Box<T> b) => a;
			        public static explicit operator int(Box<T> b)
			        {
			            return 1;
			        }
			        public (int, string) Pair(int x) => (x,
			            $"{x + "}"} {{");
			        void IBox.Explicit<U>() where U : struct
			        {
			            int Local() { return 1; }
			        }
			        abstract void Nothing();
			        event Action Done { add { } remove { } }
			        Func<int> f = () => { return 1; };
			        string s = @"a\", r = """ { " """, v = $@"{f("{")} "" {{ ";
			        char c = '"';
			        private delegate int Call(int x);
			#if DEBUG
			        void Debug() {
			#else
			        void Release() {
			#endif
			        }
			        enum E { A, B }
			    }
			    record Point(int X, int Y);
			    record struct Size(int W) { public int Area() => W; }
			    interface I { void M(); }
			}
		`, `
			namespace A.B 3-44
				class Box 8-40 // Holds T things.
					method Box 13-13
					method ~Box 14-14
					method this 15-15
					method operator + 16-16
					method operator int 17-20
					method Pair 21-22
					method Explicit 23-26
					method Nothing 27-27
					type Call 32-32
					method Debug 34-38
					enum E 39-39
				class Point 41-41
				struct Size 42-42
					method Area 42-42
				interface I 43-43
					method M 43-43
		`},
		{"whole file", `
			namespace A;
			class B { void F() { } }
		`, `
			class B 2-2
				method F 2-2
		`},
	})
}
