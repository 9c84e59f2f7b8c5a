package import Domain
package import Ground

extension SQLStore {
    package func createApproval(
        _ draft: ApprovalDraft, audit: @Sendable (ApprovalID) -> AuditEntry
    ) throws(PlatformError) -> Approval {
        try transaction { database in
            let (app, now) = (draft.app, draft.requestedAt)
            try database.requireChannel(draft.channel, of: app)
            let pending: Int =
                try database.value(
                    "SELECT count(*) FROM approvals WHERE app = \(app) AND state = 'pending' AND expires_at > \(now)")
                ?? 0
            guard pending < Approval.maximumPending else {
                throw PlatformError(
                    .conflict,
                    "\(pending) changes of the app '\(app)' wait for an approval, which is the limit. Approve, reject or "
                        + "withdraw some of them first.")
            }
            try database.execute(
                """
                DELETE FROM approvals WHERE app = \(app) AND state <> 'pending' AND id NOT IN (
                    SELECT id FROM approvals WHERE app = \(app) AND state <> 'pending'
                    ORDER BY id DESC LIMIT \(Approval.keptDecided))
                """)
            let id = ApprovalID(try database.insert(draft))
            try database.append(audit(id))
            return Approval(id: id, draft: draft)
        }
    }

    package func approvals(of app: AppID) throws(PlatformError) -> [Approval] {
        try transaction { try $0.approvals(where: "app = \(app)") }
    }

    package func approval(_ id: ApprovalID, of app: AppID) throws(PlatformError) -> Approval? {
        try transaction { try $0.approvals(where: "app = \(app) AND id = \(id)").first }
    }

    package func expiredApprovals(at instant: Timestamp, limit: Int) throws(PlatformError) -> [Approval] {
        try transaction { database in
            try database.approvals(
                where: "state = 'pending' AND expires_at <= \(instant)", limit: "LIMIT \(max(0, limit))")
        }
    }

    package func decideApproval(audit: AuditEntry) throws(PlatformError) {
        try transaction { try $0.append(audit) }
    }
}

extension Database {
    /// Records a decision; throws `conflict` unless the request is pending, and the errors of operators who have lost the right
    /// to release.
    ///
    /// Only the decision that a request has expired is made after its end.
    func record(_ decision: ApprovalDecision, at now: Timestamp) throws {
        let isOpen: SQL = decision.state == .expired ? "expires_at <= \(now)" : "expires_at > \(now)"
        let decided = try execute(
            """
            UPDATE approvals SET state = \(decision.state), decided_by = \(decision.decidedBy), decided_at = \(now),
                comment = \(decision.comment)
            WHERE id = \(decision.id) AND state = 'pending' AND \(isOpen)
            """)
        guard decided == 1 else {
            throw PlatformError(
                .conflict, "Approval \(decision.id) is no longer pending. Read it again to see the decision.")
        }
        for party in decision.parties { try party.require(try grants(of: party.principal, at: now), for: decision.id) }
    }

    /// Returns the grants of a token that is valid, or of a user who is not disabled.
    private func grants(of principal: Principal, at now: Timestamp) throws -> [Grant] {
        switch principal {
        case .token(let id):
            guard let token = try token(id), token.isValid(at: now) else { return [] }
            return [token.grant]
        case .user(let id):
            guard let user = try user("id = \(id)"), !user.isDisabled else { return [] }
            return user.grants
        }
    }

    /// Records the group that an approved request has made.
    ///
    /// - Parameter audit: The entry of the change.
    func recordMade(_ releases: [Release], by audit: AuditEntry) throws {
        let (release, set) = (releases.first?.id, releases.first?.set?.id)
        for decision in audit.companions.compactMap(\.decision) {
            try execute(
                """
                UPDATE approvals SET release = \(set == nil ? release : nil), release_set = \(set)
                WHERE id = \(decision.id)
                """)
        }
    }

    fileprivate func insert(_ draft: ApprovalDraft) throws -> Int64 {
        var release: ReleaseID?
        var set: ReleaseSetID?
        switch draft.group {
        case .release(let id, _): release = id
        case .set(let id): set = id
        case nil: break
        }
        return try inserted(
            """
            INSERT INTO approvals (
                app, channel, state, action, packages, version, release, release_set, requester, requested_by, address,
                requested_at, expires_at, reason, request, summary, change, basis, estimate
            ) VALUES (
                \(draft.app), \(draft.channel), \(ApprovalState.pending), \(draft.action),
                \(JSON.array(draft.packages.map { .string($0.text) })), \(draft.version), \(release), \(set),
                \(draft.requester), \(draft.requestedBy), \(draft.address), \(draft.requestedAt), \(draft.expiresAt),
                \(draft.reason), \(draft.request), \(draft.summary), \(draft.change), \(draft.basis.json),
                \(draft.estimate)
            ) RETURNING id
            """)
    }

    fileprivate func approvals(where condition: SQL, limit: SQL = "") throws -> [Approval] {
        try rows(
            """
            SELECT id, app, channel, state, action, packages, version, release, release_set, requester, requested_by,
                address, requested_at, reason, request, summary, change, basis, estimate, decided_by, decided_at, comment
            FROM approvals WHERE \(condition) ORDER BY id \(limit)
            """
        ) { try Approval($0) }
    }
}

extension Approval {
    fileprivate init(_ row: borrowing Row) throws {
        let packages: JSON = try row["packages"]
        let ids = (packages.elements ?? []).compactMap { $0.string.flatMap { PackageID($0) } }
        let action: ApprovalAction = try row["action"]
        let (release, set): (ReleaseID?, ReleaseSetID?) = (try row["release"], try row["release_set"])
        var group: ReleaseGroup.ID?
        if let release, let package = ids.first { group = .release(release, of: package) }
        if let set { group = .set(set) }
        guard let basis = ApprovalBasis(try row["basis"]) else { throw row.unreadable("basis") }
        let draft = ApprovalDraft(
            app: try row["app"], channel: try row["channel"], action: action, packages: ids,
            version: try row["version"], group: group, requester: try row["requester"],
            requestedBy: try row["requested_by"], address: try row["address"], requestedAt: try row["requested_at"],
            reason: try row["reason"], request: try row["request"], summary: try row["summary"],
            change: try row["change"], basis: basis, estimate: try row["estimate"])
        self.init(
            id: try row["id"], draft: draft, state: try row["state"], decidedBy: try row["decided_by"],
            decidedAt: try row["decided_at"], comment: try row["comment"])
    }
}
