package code_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/code"
)

func TestSwift(t *testing.T) {
	testBraces(t, code.Swift, []braceCase{
		{"declarations", `
			import Foundation

			/// A box.
			@available(iOS 13, *)
			public final class Box<T>: Base where T: Equatable {
			    private(set) var size: Int = 3
			    var double: Int { size * 2 }
			    class var shared: Box { get { return b } }
			    lazy var f: () -> Void = { [weak self] x in
			        func local() {}
			    }
			    public init?(x: Int) throws { return nil }
			    convenience init<U>(_ u: U) {
			        self.init(x: 1)
			    }
			    deinit { }
			    subscript(i: Int) -> T { get { a[i] } set { } }
			    class func make() -> Box { Box() }
			    static func == (a: Box, b: Box) -> Bool { true }
			    @discardableResult
			    override func run(_ s: String = "\(f("}")) {",
			                      b: Int)
			        async throws -> Int
			    {
			        switch s { case .a: return 1; default: break }
			        let raw = #"a "quote" \#(x("}")) { "#
			        let many = """
			            } \(y { $0 }) "
			            """
			        /* /* { */ } */
			    }
			#if os(iOS)
			    func phone() {
			#else
			    func desk() {
			#endif
			    }
			}
			struct S { indirect enum E { case a(Int); func g() {} } }
			protocol P: AnyObject {
			    var x: Int { get }
			    func need(a: Int) -> String
			    init(y: Int) throws
			    @objc
			    func late()
			    associatedtype A
			}
			extension Box: P where T: P {
			    func extra() {}
			}
			actor Worker { nonisolated func go() {} }
			` + "func `default`() {}" + `
			typealias Done = (Int) -> Void
			let closure = { (x: Int) in x }
			func last() {}
			func wide() -> Promise<
			    Int
			> {
			}
		`, `
			class Box 4-38 // A box.
				function local 10-10
				method init 12-12
				method init 13-15
				method deinit 16-16
				method subscript 17-17
				method make 18-18
				method == 19-19
				method run 20-31
				method phone 33-37
			struct S 39-39
				enum E 39-39
					method g 39-39
			interface P 40-47
				method need 42-42
				method init 43-43
				method late 44-45
			impl extension Box: P 48-50
				method extra 49-49
			class Worker 51-51
				method go 51-51
			function default 52-52
			type Done 53-53
			function last 55-55
			function wide 56-59
		`},
	})
}
