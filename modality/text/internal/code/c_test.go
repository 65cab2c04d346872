package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestC(t *testing.T) {
	testBraces(t, code.C, []braceCase{
		{"declarations", `
			#include <a.h>
			/* A point. */
			struct point {
			    int x, y;
			};
			typedef struct {
			    struct { int a; } inner;
			    union { int u; } v;
			} named_t;
			typedef struct tag { int a; } other_t, *other_p;
			enum color { RED, GREEN };
			struct point *forward(struct point *);
			struct point table[] = { { 1, 2 }, { 3, 4 } };
			static const struct point origin = { 0, 0 };

			/* Adds. */
			static inline int
			add(int a, int b)
			{
			    return a + b;
			}
			struct point *make(void) { return 0; }
			void (*handler(int sig, void (*f)(int)))(int) { return f; }
			int (parens)(int c) { return c; }
		`, `
			struct point 3-5 // A point.
			struct named_t 6-9
			struct tag 10-10
			enum color 11-11
			function add 17-21 // Adds.
			function make 22-22
			function handler 23-23
			function parens 24-24
		`},
		{"old parameters", `
			int
			main(argc, argv)
			    int argc;
			    char **argv;
			{
			    return 0;
			}
			int x;
		`, `
			function main 1-7
		`},
		{"branches", `
			#ifdef A
			int f(int a) {
			#else
			int f(void) {
			#endif
			    return 0;
			}
			#if X
			int win(void) { return 1; }
			#elif Y
			int unix_(void) { return 2; }
			#else
			int other(void) { return 3; }
			#endif
			int g(void) {
			#if 1
			    if (a) {
			#else
			    if (b) {
			#endif
			    }
			#if 0
			    }}}} don't
			#endif
			}
			#if 0
			broken {
			#else
			int h(void) { return 0; }
			#endif
			int i(int a,
			#ifdef Z
			    int b) {
			#else
			    int c) {
			#endif
			}
		`, `
			function f 2-7
			function win 9-9
			function unix_ 11-11
			function other 13-13
			function g 15-25
			function h 29-29
			function i 31-37
		`},
		{"macros", `
			#define SQUARE(x) ((x) * (x))
			#define EACH(list) \
			    for (;;) { \
			    }
			#ifdef __cplusplus
			extern "C" {
			#endif
			DECLARE_THING(foo)

			EXPORT(int) exported(int a) { return '{'; }
			static __attribute__((unused)) void attr(void) { char *s = "}\
			}"; }
			int locked(int a) REQUIRES(m) { return 0; }
			void trailing(void) __attribute__((noreturn));
			#ifdef __cplusplus
			}
			#endif
		`, `
			macro EACH 2-4
			function exported 10-10
			function attr 11-12
			function locked 13-13
		`},
	})
}

func TestCPP(t *testing.T) {
	testBraces(t, code.CPP, []braceCase{
		{"classes", `
			namespace a::b {
			namespace {
			// A box.
			template <typename T, int N = (3 > 2)>
			class EXPORT Box final : public Base<T>, private X {
			public:
			    Box() : a_(1), b_{2} { }
			    explicit Box(int x) noexcept(true);
			    ~Box() override = default;
			    Box &operator=(const Box &) = delete;
			    T &operator[](int i) { return a_[i]; }
			    void operator()() const { }
			    operator bool() const { return true; }
			    bool operator<(const Box &o) const { return false; }
			    virtual void pure() = 0;
			    auto late() -> std::vector<int> { return {}; }
			private:
			    struct Inner { int x; } inner;
			    int values[2] = {1, 2};
			};
			}
			template <typename T>
			Box<T>::Box(int x) : Base<T>{x}, a_(x) {
			}
			enum class Color : unsigned char { Red };
			union U { int a; };
			}  // namespace
			std::string a::b::Box<int>::name(int x) const & {
			    auto raw = R"x( } )" )x";
			    int big = 1'000'000;
			    auto l = [&](int y) { return y; };
			}
			bool operator==(const A &a, const B &b) { return true; }
			template <> struct hash<Box> { };
			TEST(Suite, Name) {
			}
			int global{3};
			class Forward;
			export template <typename T> T exported(T t) { return t; }
		`, `
			namespace a::b 1-27
				class Box 4-20 // A box.
					method Box 7-7
					method ~Box 9-9
					method operator= 10-10
					method operator[] 11-11
					method operator() 12-12
					method operator bool 13-13
					method operator< 14-14
					method late 16-16
					struct Inner 18-18
				method Box<T>::Box 22-24
				enum Color 25-25
				struct U 26-26
			method a::b::Box<int>::name 28-32
			function operator== 33-33
			struct hash<Box> 34-34
			function TEST 35-36
			function exported 39-39
		`},
	})
}
