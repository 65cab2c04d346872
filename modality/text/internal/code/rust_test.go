package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestRust(t *testing.T) {
	testBraces(t, code.Rust, []braceCase{
		{"items", `
			//! The crate.

			/// A box.
			#[derive(Debug)]
			pub struct Box<'a, T: 'a> where T: Clone {
			    v: &'a T,
			}
			struct Unit;
			pub struct Tuple(u8, [u8; 3]);
			union U { a: u8 }
			enum E { A { x: u8 }, B(char) }
			type Alias<T> = Vec<T>;
			impl<'a, T> Display for Box<'a, T> where T: Display {
			    type Output = T;
			    fn fmt(&self) -> [u8; { 1 + 2 }] {
			        let c = '{'; let l: &'static str = r#"} " {"#;
			        let b = b'\''; let s = "a
			            } \" {";
			        fn local() {}
			        match x { A { x } => { 1 }, _ => 2 }
			    }
			}
			trait Shape: Sized {
			    const N: usize = 3;
			    fn area(&self) -> f64;
			    fn name(&self) -> String { String::new() }
			}
			/* nested /* { */ } */

			pub(crate) mod inner {
			    pub const fn f<const N: usize>() {}
			    pub async unsafe extern "C" fn g() {}
			}
			mod other;
			macro_rules! mac {
			    ($x:expr) => { fn not() {} };
			}
			cfg_x! {
			    /// Inside.
			    pub fn within() {}
			}
			extern "C" {
			    fn foreign(x: i32);
			}
			static X: [u8; 2] = [1, 2];
			const S: Foo = Foo { a: 1 };
			fn main() {}
			fn r#type() {}
		`, `
			struct Box 5-7 // A box.
			struct Unit 8-8
			struct Tuple 9-9
			struct U 10-10
			enum E 11-11
			type Alias 12-12
			impl impl<'a, T> Display for Box<'a, T> 13-22
				type Output 14-14
				method fmt 15-21
					function local 19-19
			trait Shape 23-27
				method area 25-25
				method name 26-26
			module inner 30-33
				function f 31-31
				function g 32-32
			macro mac 35-37
			function within 40-40 // Inside.
			function foreign 43-43
			function main 47-47
			function r#type 48-48
		`},
	})
}
