import Domain
import Ground
import Testing

struct RootChangeTests {
    @Test func `the statement has five lines, each ended`() throws {
        let fingerprint = try #require(SHA256Digest(hex: String(repeating: "ab", count: 32)))
        let statement = RootChange.statement(
            app: .default, fingerprint: fingerprint, next: [UInt8](repeating: 0, count: 32), number: 12)
        #expect(
            String(decoding: statement, as: UTF8.self) == """
                larder-root-1
                default
                abababababababababababababababababababababababababababababababab
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
                12

                """)
    }

    @Test func `a list in a document is read back unchanged`() throws {
        let change = RootChange(app: .default, number: 3, publicKey: [1], next: [2, 3], signature: [4])
        #expect(RootChange(change.json, of: .default) == change)
        for name in ["number", "publicKey", "next", "signature"] {
            let members = try #require(change.json.members).filter { $0.key != name }
            #expect(RootChange(.object(members), of: .default) == nil)
            #expect(RootChange(.object(members + [.init(name, "!")]), of: .default) == nil)
        }
    }
}
