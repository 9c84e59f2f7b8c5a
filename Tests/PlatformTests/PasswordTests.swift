import Domain
import Execution
import Ground
import ServiceKit
import TestKit
import Testing

@testable import Platform

/// Tests the cryptography of sign-in against the examples of its standards, and its limits.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PasswordTests {
    @Test func `scrypt is that of RFC 7914`() async throws {
        let cryptography = try await TestService(hasLegacyKey: false).cryptography
        let hash = try cryptography.scrypt(
            Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8), ScryptCost(logN: 14, r: 8, p: 1), count: 64
        )
        #expect(Hex.encode(hash).hasPrefix("7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"))
        // Beyond the limit on memory, whatever the database says.
        #expect(throws: PlatformError.self) {
            try cryptography.scrypt([1], salt: [1], ScryptCost(logN: 24, r: 8, p: 1), count: 32)
        }
        #expect(ScryptCost.standard.memory < ScryptCost.maximumMemory)
    }

    @Test(arguments: [
        (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
        (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ])
    func `codes are those of RFC 6238`(seconds: Int64, code: String) async throws {
        let cryptography = try await TestService(hasLegacyKey: false).cryptography
        let secret = Array("12345678901234567890".utf8)
        #expect(SecondFactor.code(of: secret, at: seconds / 30, by: cryptography) == code)
    }

    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("foobar", "MZXW6YTBOI"),
    ])
    func `Base32 is that of RFC 4648, without padding`(text: String, encoded: String) {
        #expect(Base32.encode(Array(text.utf8)) == encoded)
    }

    @Test(arguments: [(11, false), (12, true), (1000, true), (1001, false)])
    func `a new password has 12 to 1,000 bytes`(length: Int, isTaken: Bool) {
        #expect((Password(new: String(repeating: "a", count: length)) != nil) == isTaken)
    }

    @Test func `a password is the same however a keyboard composes it, and is never printed`() {
        #expect(Password("p\u{e4}ssw\u{f6}rd") == Password("pa\u{308}sswo\u{308}rd"))
        let password = Password("correct horse")
        #expect(!"\(password) \(String(reflecting: password))".contains("horse"))
        var dumped = ""
        dump(password, to: &dumped)
        #expect(!dumped.contains("99"))
    }

    @Test(arguments: ["ann", "a", "ann.b_c@d+e-f", "0", String(repeating: "a", count: 64)])
    func `a user name has 1 to 64 plain characters`(name: String) {
        #expect(UserName(name)?.text == name)
    }

    @Test(arguments: ["", "Ann", ".ann", "a b", "a/b", "ä", "a\n", String(repeating: "a", count: 65)])
    func `any other name is none`(name: String) { #expect(UserName(name) == nil) }

    @Test func `delays grow from one second to fifteen minutes`() {
        let delays = (0...40).map { SignInGuard.delay(after: $0, free: 3).components.seconds }
        #expect(delays.prefix(7) == [0, 0, 0, 1, 2, 4, 8])
        #expect(delays.last == 900)
    }

    @Test func `failures at the same time count each other, and are forgotten after a day`() throws {
        let clock = ManualInstant()
        let attempts = SignInGuard(instant: { clock.now })
        for _ in 0..<3 { try attempts.begin("ann", from: "a") }
        #expect(throws: PlatformError.self) { try attempts.begin("ann", from: "a") }
        try attempts.begin("ann", from: "b")
        clock.advance(SignInGuard.memory)
        for _ in 0..<3 { try attempts.begin("ann", from: "a") }
        #expect(throws: PlatformError.self) { try attempts.begin("ann", from: "a") }
        attempts.end("ann", from: "a", isSuccess: true)
        try attempts.begin("ann", from: "a")
    }

    @Test func `sixteen passwords are hashed or wait, and a further one is refused`() async throws {
        let (hasher, work, gate) = try await hasher()
        let blocker = Task.immediate { await work.run { gate.pass() } }
        let waiting = (0..<PasswordHasher.capacity).map { number in
            Task.immediate { try await hasher.verify(Password("a"), nil, for: "\(number)") }
        }
        #expect(try await code { _ = try await hasher.verify(Password("a"), nil, for: "1") } == .busy)
        gate.open()
        await blocker.value
        for task in waiting { #expect(try await !task.value) }
        #expect(try await !hasher.verify(Password("a"), nil, for: "1"))
    }

    @Test func `a network that fills the queue loses its last place to another one`() async throws {
        let (hasher, work, gate) = try await hasher()
        let blocker = Task.immediate { await work.run { gate.pass() } }
        let flood = (0..<PasswordHasher.capacity).map { _ in
            Task.immediate { try await code { _ = try await hasher.verify(Password("a"), nil, for: "flood") } }
        }
        let other = Task.immediate { try await hasher.verify(Password("a"), nil, for: "other") }
        #expect(try await flood[PasswordHasher.capacity - 1].value == .busy)
        gate.open()
        await blocker.value
        #expect(try await !other.value)
        for task in flood.dropLast() { #expect(try await task.value == nil) }
    }

    private func hasher() async throws -> (PasswordHasher, WorkExecutor, Gate) {
        let service = try await TestService(hasLegacyKey: false)
        let work = WorkExecutor(label: "test", threads: 1)
        let hasher = PasswordHasher(
            cryptography: service.cryptography, work: work, cost: ScryptCost(logN: 4, r: 8, p: 1))
        return (hasher, work, Gate())
    }
}
