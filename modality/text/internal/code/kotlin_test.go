package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestKotlin(t *testing.T) {
	testBraces(t, code.Kotlin, []braceCase{
		{"declarations", `
			@file:JvmName("X")
			package a.b

			/** A box. */
			@Foo("{")
			data class Box<T : Any>(val a: Int = 3, val f: (Int) -> Unit = { })
			    : Base<T>(a), Other by lazy

			class Inject @Inject
			internal constructor(val x: Int) {
			    constructor() : this(1)
			    constructor(s: String) : this(2) {
			        init(s)
			    }
			    init { go() }
			    val size: Int
			        get() { return 1 }
			    var other: Int = 3
			        private set
			    val lazily by lazy {
			        fun local() = 1
			        local()
			    }
			    companion object {
			        fun make(): Inject =
			            Inject(
			                1
			            )
			    }
			    override fun toString() = "${"}" + listOf("{").map { it }} \" {"
			}
			sealed interface S
			fun interface Handler { fun handle(x: Int): Boolean }
			enum class E(val n: Int) {
			    A(1) { override fun f() = 1 },
			    B(2) { override fun f(): Int { return 2 } };
			    abstract fun f(): Int
			}
			object Single : Base() {
			    val listener = object : Listener {
			        override fun on(e: Event) {
			        }
			    }
			}
			fun <T> List<T>.second(): T
			    where T : Any
			{
			    return this[1]
			}
			fun String.shout() = if (isEmpty())
			    "a"
			else
			    uppercase()
			        .trim()
			fun after() {
			    val raw = """ { ${ "}" } \"""
			    /* /* } */ */
			    when (x) { 1 -> { }; else -> y() }
			}
			` + "fun `with spaces`() {}" + `
			typealias Handler2 = (Int) -> Unit
			private val x = 3
			fun wide(): Map<
			    Int, Int
			> {
			}
		`, `
			class Box 5-7 // A box.
			class Inject 9-31
				method constructor 11-11
				method constructor 12-14
				function local 21-21
				class Companion 24-29
					method make 25-28
				method toString 30-30
			interface S 32-32
			interface Handler 33-33
				method handle 33-33
			enum E 34-38
				method f 35-35
				method f 36-36
				method f 37-37
			class Single 39-44
				method on 41-42
			function List<T>.second 45-49
			function String.shout 50-54
			function after 55-59
			function with spaces 60-60
			type Handler2 61-61
			function wide 63-66
		`},
	})
}
