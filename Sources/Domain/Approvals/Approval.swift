package import Ground

/// The number of an approval request, which no other one ever has.
package struct ApprovalID: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package var description: String { String(value) }

    package static func < (left: ApprovalID, right: ApprovalID) -> Bool { left.value < right.value }
}

/// The state of an approval request.
package enum ApprovalState: String, Sendable, CaseIterable {
    case pending
    case approved
    case rejected
    case withdrawn
    case expired
}

/// A request for an approval as it is made.
package struct ApprovalDraft: Sendable, Equatable {
    package let app: AppID
    package let channel: ChannelName
    package let action: ApprovalAction
    package let packages: [PackageID]
    /// The version of a single release.
    package let version: VersionString?
    /// The group to change; `nil` for one to make.
    package fileprivate(set) var group: ReleaseGroup.ID?
    package let requester: Principal
    package let requestedBy: String
    /// The address of the client that sent the request.
    package let address: String
    package let requestedAt: Timestamp
    package let reason: String?
    /// The body of the request.
    package let request: JSON
    /// The change in one sentence.
    package let summary: String
    /// The members `before` and `after`.
    package let change: JSON
    package let basis: ApprovalBasis
    /// The devices that the release matches; `nil` if they are not counted.
    package let estimate: JSON?

    package init(
        app: AppID, channel: ChannelName, action: ApprovalAction, packages: [PackageID], version: VersionString?,
        group: ReleaseGroup.ID?, requester: Principal, requestedBy: String, address: String, requestedAt: Timestamp,
        reason: String?, request: JSON, summary: String, change: JSON, basis: ApprovalBasis, estimate: JSON?
    ) {
        self.app = app
        self.channel = channel
        self.action = action
        self.packages = packages
        self.version = version
        self.group = group
        self.requester = requester
        self.requestedBy = requestedBy
        self.address = address
        self.requestedAt = requestedAt
        self.reason = reason
        self.request = request
        self.summary = summary
        self.change = change
        self.basis = basis
        self.estimate = estimate
    }

    /// The first instant at which the request can no longer be approved.
    package var expiresAt: Timestamp { requestedAt.adding(milliseconds: Approval.lifetimeMilliseconds) }
}

/// The decision that ends an approval request; the transaction of its audit entry records it.
package struct ApprovalDecision: Sendable, Equatable {
    package let id: ApprovalID
    package let state: ApprovalState
    package let decidedBy: String
    package let comment: String?
    /// The operators whose rights the transaction checks, since they may have changed since the request was read.
    package let parties: [ApprovalParty]

    package init(
        _ state: ApprovalState, _ id: ApprovalID, by actor: String, comment: String? = nil,
        parties: [ApprovalParty] = []
    ) {
        self.id = id
        self.state = state
        decidedBy = actor
        self.comment = comment
        self.parties = parties
    }
}

/// A request for an approval of a change on a protected channel (decision 0081).
package struct Approval: Sendable, Equatable, Identifiable {
    package let id: ApprovalID
    package private(set) var draft: ApprovalDraft
    /// The state as it is stored, in which an expired request may be pending.
    private let stored: ApprovalState
    package let decidedBy: String?
    package let decidedAt: Timestamp?
    package let comment: String?

    /// The time in which a request can be approved.
    package static let lifetimeMilliseconds: Int64 = 7 * 86_400_000
    /// The limit on the pending requests of an app.
    package static let maximumPending = 100
    /// The number of an app's decided requests that are kept.
    package static let keptDecided = 500
    /// The limit on the characters of a reason or a comment.
    package static let maximumReason = 500
    /// The fewest characters of the reason of a break-glass change.
    package static let minimumBreakGlass = 10
    /// The limit on the bytes of the body that waits.
    package static let requestLimit = 16 << 10

    package init(
        id: ApprovalID, draft: ApprovalDraft, state: ApprovalState = .pending, decidedBy: String? = nil,
        decidedAt: Timestamp? = nil, comment: String? = nil
    ) {
        self.id = id
        self.draft = draft
        stored = state
        self.decidedBy = decidedBy
        self.decidedAt = decidedAt
        self.comment = comment
    }

    /// Returns the request after a decision.
    package func decided(_ decision: ApprovalDecision, at instant: Timestamp) -> Approval {
        Approval(
            id: id, draft: draft, state: decision.state, decidedBy: decision.decidedBy, decidedAt: instant,
            comment: decision.comment)
    }

    /// Returns the request with the group that its change was for, or has made.
    package func with(group: ReleaseGroup.ID) -> Approval {
        var other = self
        other.draft.group = group
        return other
    }

    package func state(at instant: Timestamp) -> ApprovalState {
        stored == .pending && instant >= draft.expiresAt ? .expired : stored
    }

    /// The tag that `If-Match` is compared with; only a decision changes a request.
    package func tag(at instant: Timestamp) -> String { state(at: instant).rawValue }

    /// Throws `conflict` unless the request is pending.
    package func requirePending(at instant: Timestamp) throws(PlatformError) {
        let state = state(at: instant)
        guard state != .pending else { return }
        throw PlatformError(
            .conflict,
            state == .expired
                ? "Approval \(id) expired at \(draft.expiresAt). Send the change again."
                : "Approval \(id) is \(state.rawValue) already. Send the change again if it is still needed.")
    }

    /// Throws `approvalOutdated` if the change would no longer be the one that was requested.
    package func require(_ current: ApprovalBasis) throws(PlatformError) {
        let differences = draft.basis.differences(to: current)
        guard !differences.isEmpty else { return }
        throw PlatformError(
            .approvalOutdated,
            "Approval \(id) is for another state: \(differences.joined(separator: ", ")). Withdraw or reject it, and send the "
                + "change again if it still applies.",
            facts: [.init("changed", .array(differences.map { .string($0) }))])
    }

    /// The request as the API shows it.
    package func members(at instant: Timestamp) -> [JSON.Member] {
        var release: JSON?
        var set: JSON?
        switch draft.group {
        case .release(let id, _): release = .integer(id.value)
        case .set(let id): set = .integer(id.value)
        case nil: break
        }
        let state = state(at: instant)
        let members: [(String, JSON?)] = [
            ("id", .integer(id.value)), ("app", .string(draft.app.text)), ("channel", .string(draft.channel.text)),
            ("state", .string(state.rawValue)), ("action", .string(draft.action.rawValue)),
            ("package", draft.action.isOfSet ? nil : draft.packages.first.map { .string($0.text) }),
            ("packages", .array(draft.packages.map { .string($0.text) })), ("release", release), ("releaseSet", set),
            ("version", draft.version.map { .string($0.text) }), ("requestedBy", .string(draft.requestedBy)),
            ("requestedAt", .string(draft.requestedAt.rfc3339)), ("expiresAt", .string(draft.expiresAt.rfc3339)),
            ("reason", draft.reason.map { .string($0) }), ("request", draft.request),
            ("summary", .string(draft.summary)), ("change", draft.change), ("estimate", draft.estimate ?? .null),
            ("decidedBy", decidedBy.map { .string($0) }), ("decidedAt", decidedAt.map { .string($0.rfc3339) }),
            ("comment", comment.map { .string($0) }),
        ]
        return members.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    }

    /// The request as its audit entries show it.
    package func auditMembers(_ state: ApprovalState) -> [JSON.Member] {
        [
            .init("state", .string(state.rawValue)), .init("action", .string(draft.action.rawValue)),
            .init("channel", .string(draft.channel.text)), .init("summary", .string(draft.summary)),
        ]
    }
}
