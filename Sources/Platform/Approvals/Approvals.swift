package import Domain
import Execution
package import Ground

/// The use cases of changes that wait for a second person (decision 0081).
package final class Approvals: Sendable {
    private let live: LiveApps
    private let store: any ApprovalStore & AppStore & TokenStore & UserStore
    private let releaser: Releaser
    private let devicesSeen: DevicesSeen
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any ApprovalStore & AppStore & TokenStore & UserStore, releaser: Releaser,
        devicesSeen: DevicesSeen, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.releaser = releaser
        self.devicesSeen = devicesSeen
        self.clock = clock
    }

    /// The members of a request that concern its approval.
    package struct Terms: Sendable, Equatable {
        package let reason: String?
        /// The reason for a change without an approval; `nil` to ask for one.
        package let breakGlass: String?

        package static let none = Terms(reason: nil, breakGlass: nil)

        package init(reason: String?, breakGlass: String?) {
            self.reason = reason
            self.breakGlass = breakGlass
        }
    }

    /// A change that starts or widens a release or a release set.
    package enum Change: Sendable {
        case make(ReleaseRequest, isForced: Bool)
        case act(ReleaseAction, on: ReleaseGroup.ID, isForced: Bool, ifMatch: IfMatchPrecondition?)
        case judge(ReleaseGroup.ID, by: HealthPolicy?, ifMatch: IfMatchPrecondition?)
    }

    // MARK: Requesting

    /// Returns the operator who makes a change of a channel at once; `nil` if the change needs an approval.
    ///
    /// Throws `invalidRequest` for terms of an approval that no change of the channel needs, and `forbidden` if an operator who
    /// is no admin of the app breaks the glass.
    package func permit(
        _ author: Operator, on channel: ChannelName, of app: LiveApp, _ terms: Terms
    ) async throws(PlatformError) -> Operator? {
        if case .approved = author.clearance { return author }
        guard try await store.channel(channel, of: app.id)?.isProtected ?? false else {
            guard terms == .none else {
                throw PlatformError(
                    .invalidRequest,
                    "This change of the channel '\(channel)' needs no approval. Leave out 'approvalReason' and 'breakGlass'."
                )
            }
            return author
        }
        guard let reason = terms.breakGlass else { return nil }
        guard author.has(.admin, on: .app(app.id)) else {
            throw PlatformError(
                .forbidden,
                "\(author.roles) Only an admin of the app '\(app.id)' may send 'breakGlass'. Leave it out to ask for an approval."
            )
        }
        return author.cleared(by: .breakGlass(reason: reason, on: channel))
    }

    /// Returns whether changing the health rules of a group needs an approval, which adding rules does not.
    package func isApprovalNeeded(toJudge id: ReleaseGroup.ID, of app: LiveApp) async throws(PlatformError) -> Bool {
        try await releaser.find(id, of: app).group.terms.health != nil
    }

    /// Checks a change as its dry run does, and stores it until a second person decides on it.
    ///
    /// Throws the errors of the change, `bodyTooLarge`, and `conflict` if too many changes wait.
    ///
    /// - Parameter body: The body of the request.
    package func request(
        _ change: Change, of app: LiveApp, body: JSON, _ terms: Terms, by author: Operator
    ) async throws(PlatformError) -> Approval {
        guard let requester = author.principal else {
            throw PlatformError(.internalError, "The server asks for no approval.")
        }
        guard body.bytes().count <= Approval.requestLimit else {
            throw PlatformError(
                .bodyTooLarge,
                "The body is larger than \(ByteCount.text(Approval.requestLimit)), the limit of a change that waits for an "
                    + "approval. Put long lists of values into a device list.")
        }
        let kind = Self.kind(of: change)
        let rehearsal = try await rehearse(change, kind, of: app, by: author)
        let group = rehearsal.status.group
        var isOfSet = false
        if case .set = group.id { isOfSet = true }
        let now = clock.now()
        let draft = ApprovalDraft(
            app: app.id, channel: group.channel, action: ApprovalAction(kind, ofSet: isOfSet), packages: group.packages,
            version: isOfSet ? nil : group.members[0].version, group: kind == .create ? nil : group.id,
            requester: requester, requestedBy: author.name, address: author.address, requestedAt: now,
            reason: terms.reason, request: body, summary: rehearsal.summary,
            change: .object(rehearsal.change.members), basis: rehearsal.basis,
            estimate: isOfSet ? nil : await estimate(for: group.members[0]))
        return try await store.createApproval(draft) { id in
            let approval = Approval(id: id, draft: draft)
            return author.audit(
                .requestApproval, id.description, in: app.id, at: now,
                approval.auditMembers(.pending)
                    + [.init("expiresAt", .string(draft.expiresAt.rfc3339))]
                    + (terms.reason.map { [.init("reason", .string($0))] } ?? []),
                change: .created(approval.auditMembers(.pending)))
        }
    }

    private static func kind(of change: Change) -> ApprovalAction.Kind {
        switch change {
        case .make: .create
        case .act(let action, _, _, _): action.kind.approval ?? .widen
        case .judge: .health
        }
    }

    private func rehearse(
        _ change: Change, _ kind: ApprovalAction.Kind, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Releaser.Rehearsal {
        switch change {
        case .make(let request, let isForced):
            return try await releaser.rehearse(request, isForced: isForced, by: author)
        case .act(let action, let id, let isForced, let precondition):
            return try await releaser.rehearse(kind, of: id, in: app, by: author) { (author) throws(PlatformError) in
                try await releaser.apply(
                    action, to: id, of: app, ifMatch: precondition, isForced: isForced, by: author)
            }
        case .judge(let id, let policy, let precondition):
            return try await releaser.rehearse(kind, of: id, in: app, by: author) { (author) throws(PlatformError) in
                try await releaser.judge(id, of: app, by: policy, ifMatch: precondition, author: author)
            }
        }
    }

    /// Returns the devices that a release matches once its plan is complete; `nil` if the server does not count them.
    private func estimate(for release: Release) async -> JSON? {
        do throws(PlatformError) {
            let count = try await devicesSeen.count(for: release, .finally)
            return .object(["matching": .integer(Int64(count.matching)), "seen": .integer(Int64(count.seen))])
        } catch {
            return nil
        }
    }

    // MARK: Reading

    /// Returns the requests of an app by number.
    package func approvals(of app: LiveApp) async throws(PlatformError) -> [Approval] {
        try await store.approvals(of: app.id)
    }

    /// Returns a request; throws `approvalNotFound`.
    package func requireApproval(_ id: ApprovalID, of app: LiveApp) async throws(PlatformError) -> Approval {
        guard let approval = try await store.approval(id, of: app.id) else {
            throw PlatformError(.approvalNotFound, "The app '\(app.id)' has no approval \(id).")
        }
        return approval
    }

    // MARK: Deciding

    /// A request with its approval, which the change will record.
    package struct Approved: Sendable {
        /// The request after the decision.
        package let approval: Approval
        /// The operator who makes the change.
        package let requester: Operator
    }

    /// Prepares the change of a request with the approval of another person.
    ///
    /// The transaction of the change records the approval, so that two approvals at once make it once, and checks the rights of
    /// both persons again, since the patches of a release may take a while. Throws
    /// `approvalNotFound`, `preconditionFailed`, `forbidden` if the operator may not release on the channel or is the person
    /// who asked, and `conflict` if the request is no longer pending or the person who asked may no longer release.
    package func approve(
        _ id: ApprovalID, of app: LiveApp, comment: String?, ifMatch precondition: IfMatchPrecondition?,
        by author: Operator
    ) async throws(PlatformError) -> Approved {
        let approval = try await requireOpen(id, of: app, ifMatch: precondition, toDecideBy: author)
        let requester = try await self.requester(of: approval)
        let (audit, decided) = decide(
            .approved, approval, as: .approve, comment, by: author, with: [Self.requester(of: approval)])
        let cleared = requester.cleared(by: .approved(approval, audit: audit))
        return Approved(approval: decided, requester: author.isRehearsing ? cleared.rehearsing : cleared)
    }

    /// Ends a request by the decision of another person; throws the errors of ``approve(_:of:comment:ifMatch:by:)``.
    package func reject(
        _ id: ApprovalID, of app: LiveApp, comment: String?, ifMatch precondition: IfMatchPrecondition?,
        by author: Operator
    ) async throws(PlatformError) -> Approval {
        let approval = try await requireOpen(id, of: app, ifMatch: precondition, toDecideBy: author)
        let (audit, decided) = decide(.rejected, approval, as: .rejectApproval, comment, by: author)
        try await store.decideApproval(audit: audit)
        return decided
    }

    /// Ends a request by the person who asked or an admin of the app.
    package func withdraw(
        _ id: ApprovalID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> Approval {
        let approval = try await requireApproval(id, of: app)
        let now = clock.now()
        try precondition?.require(approval.tag(at: now), of: "Approval \(id)")
        if !author.has(.admin, on: .app(app.id)) {
            guard try await person(behind: author.principal) == person(behind: approval.draft.requester) else {
                throw PlatformError(
                    .forbidden,
                    "\(author.roles) Only \(approval.draft.requestedBy), who asked, or an admin of the app '\(app.id)' may "
                        + "withdraw approval \(id). Reject it instead.")
            }
        }
        try approval.requirePending(at: now)
        let (audit, decided) = decide(.withdrawn, approval, as: .withdrawApproval, nil, by: author)
        try await store.decideApproval(audit: audit)
        return decided
    }

    private func requireOpen(
        _ id: ApprovalID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition?, toDecideBy author: Operator
    ) async throws(PlatformError) -> Approval {
        let approval = try await requireApproval(id, of: app)
        try Releaser.require(author, on: approval.draft.channel, of: app.id)
        let now = clock.now()
        try precondition?.require(approval.tag(at: now), of: "Approval \(id)")
        try approval.requirePending(at: now)
        guard try await person(behind: author.principal) != person(behind: approval.draft.requester) else {
            throw PlatformError(
                .forbidden,
                "Approval \(id) needs a second person: \(approval.draft.requestedBy), who asked, and \(author.name) are one. "
                    + "Tokens count as the user who made them. To end the request, withdraw it.")
        }
        return approval
    }

    /// Returns the entry that records a decision, and the request after it.
    ///
    /// - Parameter others: The operators besides the author who need the right to release.
    private func decide(
        _ state: ApprovalState, _ approval: Approval, as action: AuditAction, _ comment: String?, by author: Operator,
        with others: [ApprovalParty] = []
    ) -> (audit: AuditEntry, decided: Approval) {
        let now = clock.now()
        var parties = others
        if state == .approved || state == .rejected, let principal = author.principal {
            parties.append(
                ApprovalParty(
                    .decider, principal, named: author.name, on: approval.draft.channel, of: approval.draft.app))
        }
        let decision = ApprovalDecision(state, approval.id, by: author.name, comment: comment, parties: parties)
        let audit = author.audit(
            action, approval.id.description, in: approval.draft.app, at: now,
            approval.auditMembers(state) + (comment.map { [.init("comment", .string($0))] } ?? []),
            change: .changed(from: approval.auditMembers(.pending), to: approval.auditMembers(state)),
            decision: decision)
        return (audit, approval.decided(decision, at: now))
    }

    /// Returns the operator who asked, with the rights of now; throws `conflict` if the operator may no longer release.
    private func requester(of approval: Approval) async throws(PlatformError) -> Operator {
        let draft = approval.draft
        var found: Operator?
        switch draft.requester {
        case .token(let id):
            if let token = try await store.token(id), token.isValid(at: clock.now()) {
                found = Operator(FoundToken(token: token, secretEnd: nil))
            }
        case .user(let id):
            if let user = try await store.users().first(where: { $0.id == id }), !user.isDisabled {
                found = Operator(user: user, session: nil)
            }
        }
        let party = Self.requester(of: approval)
        guard let found, party.mayRelease(with: found.grants) else { throw party.refusal(of: approval.id) }
        return found.at(draft.address)
    }

    private static func requester(of approval: Approval) -> ApprovalParty {
        let draft = approval.draft
        return ApprovalParty(
            .requester, draft.requester, named: draft.requestedBy, on: draft.channel, of: draft.app)
    }

    /// Returns the person behind an operator.
    private func person(behind principal: Principal?) async throws(PlatformError) -> ApprovalPerson? {
        switch principal {
        case .user(let id): return .user(id)
        case .token(var id):
            // A token is newer than the one that has made it.
            while let token = try await store.token(id) {
                switch TokenCreator(token.owner) {
                case .user(let user): return .user(user)
                case .trust(let name): return .trust(name)
                case .token(let creator) where creator < id: id = creator
                case .token, .unrecorded: return .token(id)
                }
            }
            return .token(id)
        case nil: return nil
        }
    }

    // MARK: Expiry

    /// The time between two searches for expired requests.
    private static let searchInterval: Duration = .seconds(60)
    /// The number of requests that one search ends.
    private static let expiredPerSearch = 100

    /// Ends requests that have expired, until cancelled.
    ///
    /// - Parameter report: Called with each failed search, which is repeated.
    package func runExpiry(report: @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            do throws(PlatformError) { try await endExpired() } catch { report(error) }
            await AsyncFlag().wait(upTo: Self.searchInterval)
        }
    }

    /// Ends requests that have expired, each with its audit entry.
    package func endExpired() async throws(PlatformError) {
        for approval in try await store.expiredApprovals(at: clock.now(), limit: Self.expiredPerSearch) {
            do throws(PlatformError) {
                try await store.decideApproval(
                    audit: decide(.expired, approval, as: .expireApproval, nil, by: .server).audit)
            } catch  where error.code == .conflict {
                // Another node has ended it.
            }
        }
    }
}
