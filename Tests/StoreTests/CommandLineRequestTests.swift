import Domain
import Ground
import Store
import Testing

/// Tests the stored requests of command lines.
@Suite(.databases)
struct CommandLineRequestTests {
    private func request(_ number: Int, from group: String, after delay: Int64 = 0) throws -> CommandLineRequest {
        let letters = Array("BCDFGHJKLM")
        let code = (0..<8).map { String(letters[number / [1, 10, 100, 1_000, 10_000, 1, 1, 1][$0] % 10]) }.joined()
        return CommandLineRequest(
            code: try #require(CommandLineCode(code)), secretHash: try Fixture.digest(number),
            machine: try #require(MachineName("m")), address: group, addressGroup: group,
            createdAt: Fixture.start.adding(milliseconds: delay))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the oldest requests of an address are removed beyond the limit, and old ones`(
        on kind: DatabaseKind
    ) async throws {
        let store = try kind.empty()
        let other = try request(1, from: "b")
        try await store.addCommandLineRequest(other)
        let all = try (0...CommandLineRequest.maximumPerAddressGroup).map { number in
            try request(number + 2, from: "a", after: Int64(number))
        }
        for one in all { try await store.addCommandLineRequest(one) }
        let now = Fixture.start.adding(milliseconds: 1_000)
        #expect(try await store.commandLineRequest(all[0].code, at: now) == nil)
        #expect(try await store.commandLineRequest(all[1].code, at: now) == all[1])
        #expect(try await store.commandLineRequest(secretHash: all[1].secretHash, at: now) == all[1])
        #expect(try await store.commandLineRequest(other.code, at: other.end) == nil)
        #expect(try await store.commandLineRequest(other.code, at: other.end.adding(milliseconds: -1)) == other)
        let late = try request(900, from: "c", after: CommandLineRequest.lifetimeMilliseconds)
        try await store.addCommandLineRequest(late)
        #expect(try await store.commandLineRequest(other.code, at: Fixture.start) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a session that has ended agrees to nothing`(on kind: DatabaseKind) async throws {
        let store = try kind.empty()
        let hash = PasswordHash(
            hash: Array(repeating: 1, count: 32), salt: Array(repeating: 2, count: 16),
            cost: ScryptCost(logN: 4, r: 8, p: 1))
        let (audit, name) = (Fixture.audit("x", app: nil), try #require(UserName("ann")))
        let ann = try await store.createUser(
            name, grants: [Grant(.viewer, on: .everything)], password: hash, audit: audit)
        let begun = try await store.beginSession(
            of: ann.id, secretHash: try Fixture.digest(1), address: "a", verified: hash, upgraded: nil, audit: audit
        ) { _ in }
        let session = try #require(begun)
        let open = try request(2, from: "b")
        try await store.addCommandLineRequest(open)
        func agree(_ agreed: Int64) async throws -> Session? {
            try await store.beginSession(agreedBy: agreed, of: ann.id, to: open, audit: audit)
        }
        #expect(try await agree(session.id + 1) == nil)
        let own = try #require(try await agree(session.id))
        #expect(own.machine == open.machine && own.user == ann.id)
        let next = try request(3, from: "b")
        try await store.addCommandLineRequest(next)
        #expect(try await store.endSession(session.id, audit: audit))
        #expect(try await store.beginSession(agreedBy: session.id, of: ann.id, to: next, audit: audit) == nil)
        // Nor does the session of a command line.
        #expect(try await store.beginSession(agreedBy: own.id, of: ann.id, to: next, audit: audit) == nil)
    }

    @Test func `a code has eight consonants, in lower case and without the hyphen as well`() {
        #expect(CommandLineCode("BDFG-HJKL")?.text == "BDFG-HJKL" && CommandLineCode("bdfghjkl")?.text == "BDFG-HJKL")
        for wrong in ["", "BDFG-HJK", "BDFG-HJKLM", "BDFG-HJKA", "BDFG HJKL", "ＢDFGHJK"] {
            #expect(CommandLineCode(wrong) == nil, "\(wrong)")
        }
    }
}
