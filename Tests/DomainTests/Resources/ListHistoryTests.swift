import Domain
import Testing

struct ListHistoryTests {
    private let beta = ChannelName("beta")

    private func versions(
        _ current: String, then coming: String? = nil, _ rules: [ResourceRule]? = []
    ) throws -> ListedVersions {
        ListedVersions(
            current: try Sample.version(current), coming: try coming.map { try Sample.version($0) },
            naming: rules.map { NamingMark(of: [ResourceSettings(rules: $0)]) })
    }

    private func history(_ entries: [(ChannelName?, Int64, ListedVersions)]) throws -> ListHistory {
        ListHistory(
            try entries.map {
                .init(channel: try #require($0.0), sequence: $0.1, versions: $0.2)
            })
    }

    private func found(_ list: String, in history: ListHistory) throws -> Set<ListedVersions> {
        history.versions(of: try #require(ResourceConfigVersion(list)))
    }

    @Test func `a list names what was recorded last up to its sequence`() throws {
        let (plain, ahead, after) = (try versions("1.0"), try versions("1.0", then: "1.1"), try versions("1.1"))
        let history = try history([
            (.production, 10, plain), (.production, 20, ahead), (.production, 30, after),
        ])
        #expect(try found("9.1.0", in: history).isEmpty)
        #expect(try found("10.1.0", in: history) == [plain] && found("19.1.0", in: history) == [plain])
        #expect(try found("21.1.0", in: history) == [ahead] && found("29.1.0", in: history) == [ahead])
        #expect(try found("30.1.1", in: history) == [after] && found("99.1.1", in: history) == [after])
        // That version was not current then.
        #expect(try found("31.1.0", in: history).isEmpty && found("10.1.1", in: history).isEmpty)
    }

    @Test func `each channel that may have sent a list counts`() throws {
        let (plain, ahead) = (try versions("1.0"), try versions("1.0", then: "1.1"))
        let history = try history([(.production, 10, plain), (beta, 12, ahead), (beta, 15, try versions("1.1"))])
        #expect(try found("11.1.0", in: history) == [plain])
        #expect(try found("12.1.0", in: history) == [plain, ahead])
        #expect(try found("16.1.0", in: history) == [plain])
    }

    @Test func `two lists with one sequence both count`() throws {
        let (plain, ahead) = (try versions("1.0"), try versions("1.0", then: "1.1"))
        let history = try history([(.production, 10, plain), (.production, 10, ahead)])
        #expect(try found("10.1.0", in: history) == [plain, ahead])
        #expect(history.isNew(ahead, on: .production) && history.isNew(plain, on: .production))
    }

    @Test func `a list that was sent under the sequence of the next one counts beside it`() throws {
        let (first, plain, ahead) = (try versions("0.9"), try versions("1.0"), try versions("1.0", then: "1.1"))
        // Sent under 12 as well, until a release of another package changed the list without an event of this one.
        let history = try history([(.production, 8, first), (.production, 10, plain), (.production, 12, ahead)])
        #expect(try found("12.1.0", in: history) == [plain, ahead])
        #expect(try found("11.1.0", in: history) == [plain] && found("13.1.0", in: history) == [ahead])
        #expect(try found("10.0.9", in: history) == [first])
    }

    @Test func `no other channel's list is used in place of one that is no longer kept`() throws {
        let beta = try #require(beta)
        let entries = [
            ListHistory.Entry(channel: .production, sequence: 20, versions: try versions("1.0", then: "1.1")),
            ListHistory.Entry(channel: beta, sequence: 5, versions: try versions("1.0")),
        ]
        #expect(try found("10.1.0", in: ListHistory(entries)).count == 1)
        let truncated = ListHistory(entries, truncated: [.production])
        #expect(try found("10.1.0", in: truncated).isEmpty && found("20.1.0", in: truncated).isEmpty)
        #expect(try found("21.1.0", in: truncated).count == 2)
        // The same result if entries are removed while the server runs.
        let full = try (1...4097).map { (ChannelName?.some(.production), Int64($0), try versions("1.\($0)")) }
        #expect(try found("5.1.5", in: history([(beta, 1, try versions("1.5"))] + full)).isEmpty)
    }

    @Test func `a list is new if it differs from the last one of its channel`() throws {
        let plain = try versions("1.0")
        let history = try history([(.production, 10, try versions("0.9")), (.production, 11, plain)])
        #expect(!history.isNew(plain, on: .production))
        #expect(history.isNew(try versions("0.9"), on: .production))
        #expect(history.isNew(try versions("1.0", nil), on: .production))
        #expect(history.isNew(plain, on: try #require(beta)))
    }

    @Test func `a preset uses the last list that named only its version`() throws {
        let history = try history([
            (.production, 10, try versions("1.0")), (.production, 20, try versions("1.0", then: "1.1")),
            (.production, 30, try versions("1.1", then: "1.2")),
        ])
        func sequence(_ version: String) throws -> Int64? {
            history.sequence(of: try Sample.version(version), on: .production)
        }
        #expect(try sequence("1.0") == 10)
        #expect(try sequence("1.1") == 30)
        #expect(try sequence("1.2") == nil)
        #expect(history.sequence(of: try Sample.version("1.0"), on: try #require(beta)) == nil)
    }

    @Test func `4,096 lists of a channel are kept, and one more drops the oldest`() throws {
        let all = try (1...4096).map { (ChannelName?.some(.production), Int64($0), try versions("1.\($0)")) }
        #expect(try found("1.1.1", in: try history(all)).count == 1)
        let more = try history(all + [(.production, 4097, try versions("2.0"))])
        #expect(try found("1.1.1", in: more).isEmpty)
        #expect(try found("4096.1.4096", in: more).count == 1 && found("4097.2.0", in: more).count == 1)
    }

    @Test func `the naming mark changes if a rule changes an id`() throws {
        let glob = try #require(PathGlob("*.js"))
        func mark(_ rules: [ResourceRule]) -> NamingMark { NamingMark(of: [ResourceSettings(rules: rules)]) }
        let named = mark([ResourceRule(files: glob, resourceID: ResourceID("a"))])
        #expect(named != mark([]) && named != mark([ResourceRule(files: glob, resourceID: ResourceID("b"))]))
        #expect(named != mark([ResourceRule(files: try #require(PathGlob("*")), resourceID: ResourceID("a"))]))
        #expect(named == mark([ResourceRule(files: glob, isCached: false, resourceID: ResourceID("a"))]))
        #expect(NamingMark(of: [ResourceSettings()]) != NamingMark(of: [ResourceSettings(), ResourceSettings()]))
        #expect(NamingMark(named.text) == named && NamingMark("x") == nil)
    }

    @Test func `a resource that a list named with two contents has no patch`() throws {
        func digests(_ contents: [String: UInt8]) throws -> [ResourceID: SHA256Digest] {
            var digests: [ResourceID: SHA256Digest] = [:]
            for (id, byte) in contents { digests[try #require(ResourceID(id))] = try Sample.digest(byte) }
            return digests
        }
        let current = try digests(["same": 1, "changed": 2, "gone": 3])
        let coming = try digests(["same": 1, "changed": 9, "new": 4])
        let left = try digests(["same": 1, "gone": 3])
        #expect(ListedVersions.patchable(current: current, coming: coming) == left)
        #expect(ListedVersions.patchable(current: current, coming: [:]) == current)
    }
}
