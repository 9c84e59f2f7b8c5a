import Domain
import Ground
import Testing

/// Tests the rules of approvals, which are values without a store.
struct ApprovalTests {
    private static let start = Timestamp(milliseconds: 1_767_225_600_000)

    private static func draft(_ basis: ApprovalBasis) throws -> ApprovalDraft {
        ApprovalDraft(
            app: .default, channel: .production, action: .widenRelease, packages: [try #require(PackageID("news"))],
            version: VersionString("1.0.0"), group: .release(ReleaseID(3), of: try #require(PackageID("news"))),
            requester: .token(1), requestedBy: "ann (#1)", address: "127.0.0.1", requestedAt: start, reason: nil,
            request: .object(["percent": 50]), summary: "Widen", change: .null, basis: basis, estimate: nil)
    }

    private static func basis(_ revisions: [Int64: Int64], _ terms: [JSON.Member] = []) throws -> ApprovalBasis {
        let members = revisions.map { JSON.Member(String($0.key), .integer($0.value)) }
        return try #require(ApprovalBasis(.object(["revisions": .object(members), "terms": .object(terms)])))
    }

    @Test func `a request is pending for 7 days and expires at their end`() throws {
        let approval = Approval(id: ApprovalID(1), draft: try Self.draft(Self.basis([3: 1])))
        let last = Self.start.adding(milliseconds: 7 * 86_400_000 - 1)
        #expect(approval.state(at: last) == .pending)
        try approval.requirePending(at: last)
        let end = last.adding(milliseconds: 1)
        #expect(approval.state(at: end) == .expired && approval.tag(at: end) == "expired")
        #expect(throws: PlatformError.self) { try approval.requirePending(at: end) }
    }

    @Test(arguments: [ApprovalState.approved, .rejected, .withdrawn])
    func `a decided request neither expires nor is decided again`(state: ApprovalState) throws {
        let approval = Approval(
            id: ApprovalID(1), draft: try Self.draft(Self.basis([3: 1])), state: state, decidedBy: "bob (#2)",
            decidedAt: Self.start)
        #expect(approval.state(at: Self.start.adding(milliseconds: Approval.lifetimeMilliseconds)) == state)
        #expect(throws: PlatformError.self) { try approval.requirePending(at: Self.start) }
    }

    @Test func `a basis names what has changed since`() throws {
        let old = try Self.basis([3: 1, 4: 2, 5: 1], [.init("mandatory", false), .init("wifiOnly", false)])
        let new = try Self.basis([3: 1, 4: 3, 6: 1], [.init("mandatory", true), .init("wifiOnly", false)])
        #expect(old.differences(to: old) == [])
        #expect(
            old.differences(to: new) == [
                "release 4 has the revision 3 instead of 2", "release 5 has ended", "release 6 was made",
                "'mandatory' of the release differs from when the change was requested",
            ])
        let approval = Approval(id: ApprovalID(1), draft: try Self.draft(old))
        try approval.require(old)
        #expect(throws: PlatformError.self) { try approval.require(new) }
    }

    @Test(
        arguments: [
            ("ann (user #3)", TokenCreator.user(UserID(3))), ("deploy (#5)", .token(5)),
            ("CI trust github", .trust("github")), ("server", .unrecorded), (nil, .unrecorded),
            // The name of a token is any text; the server writes what follows it.
            ("ann (user #3) (#7)", .token(7)), ("CI trust github (#8)", .token(8)), ("(user #3)", .unrecorded),
            ("x (user #)", .unrecorded), ("x (user #3", .unrecorded),
        ] as [(String?, TokenCreator)])
    func `the creator of a token is read from the part that the server has written`(
        owner: String?, creator: TokenCreator
    ) {
        #expect(TokenCreator(owner) == creator)
    }

    @Test(arguments: ReleaseAction.Kind.allCases)
    func `only actions that start or widen need an approval`(kind: ReleaseAction.Kind) {
        let widening: [ReleaseAction.Kind] = [.widen, .reschedule, .resume, .complete]
        #expect((kind.approval != nil) == widening.contains(kind))
    }

    @Test(arguments: ApprovalAction.allCases)
    func `an action is its kind and its object`(action: ApprovalAction) {
        #expect(ApprovalAction(action.kind, ofSet: action.isOfSet) == action)
        #expect(action.rawValue.hasPrefix("release-set.") == action.isOfSet)
        #expect(action.rawValue.hasSuffix(".\(action.kind.rawValue)"))
    }
}
