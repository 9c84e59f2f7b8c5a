package import Ground

/// The members of an object before and after a change, as the audit log shows them; never a secret.
package enum AuditChange: Sendable, Equatable {
    case created([JSON.Member])
    /// A change of members; only those that differ are shown.
    case changed(from: [JSON.Member], to: [JSON.Member])
    case removed([JSON.Member])
    /// An action that changes no member of its object, such as the export of a key: the details state all of it.
    case none

    /// Creates the change of an object that may have existed before.
    package init(from old: [JSON.Member]?, to new: [JSON.Member]) {
        self = old.map { .changed(from: $0, to: new) } ?? .created(new)
    }

    /// The names of the two members of an entry's details.
    package enum Name {
        package static let before = "before"
        package static let after = "after"
        static let all = [before, after]
    }

    /// The members of the entry's details; empty if no member differs.
    package var members: [JSON.Member] {
        switch self {
        case .created(let new): Self.members(.null, .object(new))
        case .removed(let old): Self.members(.object(old), .null)
        case .none: []
        case .changed(let old, let new):
            switch (Self.difference(old, from: new), Self.difference(new, from: old)) {
            case ([], []): []
            case (let before, let after): Self.members(.object(before), .object(after))
            }
        }
    }

    private static func members(_ before: JSON, _ after: JSON) -> [JSON.Member] {
        [.init(Name.before, before), .init(Name.after, after)]
    }

    /// Returns the members that have another value in the other list, or are absent from it.
    private static func difference(_ members: [JSON.Member], from others: [JSON.Member]) -> [JSON.Member] {
        members.filter { member in !others.contains { $0.key == member.key && $0.value == member.value } }
    }
}

// The members of the objects that operators change.

extension ReleaseGroup {
    package func auditMembers(at instant: Timestamp) -> [JSON.Member] {
        let versions = members.map { JSON.Member($0.package.text, .string($0.version.text)) }
        let release = members[0]
        let terms = release.terms(at: max(instant, activeTime))
        return [
            .init("versions", .object(versions)), .init("channel", .string(channel.text)),
            .init("activeTime", .string(activeTime.rfc3339)), .init("course", .string(release.course.name)),
            .init("percent", release.percent(at: max(instant, activeTime)).json),
        ] + terms.commonMembers + terms.planMembers + terms.conditionMembers
    }
}

extension ReleaseGroup {
    /// Returns the detail of a change that drops the audience rules; nothing for another change.
    package func ruleDropDetail(after changed: ReleaseGroup, at instant: Timestamp) -> [JSON.Member] {
        let isDropped = !audience(at: instant).rules.isEmpty && changed.audience(at: instant).rules.isEmpty
        return isDropped ? [.init(ReleaseTerms.Name.withoutRules, true)] : []
    }
}

extension ReleaseCourse {
    fileprivate var name: String {
        switch self {
        case .running: "running"
        case .paused: "paused"
        case .halted: "halted"
        case .completed: "completed"
        case .rolledBack: "rolled-back"
        }
    }
}

extension VersionSummary {
    package var auditMembers: [JSON.Member] {
        [
            .init("tree", .string(treeHash.hex)), .init("files", .integer(Int64(fileCount))),
            .init("size", .integer(Int64(totalSize))), .init("notes", details.notes.map { .string($0) } ?? .null),
            .init("commit", details.commit.map { .string($0) } ?? .null),
            .init("author", details.author.map { .string($0) } ?? .null),
            .init(
                "retired",
                retirement.map {
                    .object(["time": .string($0.time.rfc3339), "reason": .string($0.reason)])
                } ?? .null),
        ]
    }
}

extension Package {
    package var auditMembers: [JSON.Member] {
        settings + [.init("onlineUntil", .audited(onlineUntil))]
    }
}

extension HostBuild {
    package var auditMembers: [JSON.Member] { [.init("apis", .array(apis.map { .string($0) }))] }
}

extension PageGrant {
    package var auditMembers: [JSON.Member] {
        [
            .init("origin", .string(origin.text)), .init("path", .string(path.text)),
            .init("apis", .array(apis.map { .string($0) })), .init("expires", .string(expiresAt.rfc3339)),
        ]
    }
}

extension LintWaiver {
    package var auditMembers: [JSON.Member] {
        [
            .init("code", .string(code.rawValue)), .init("path", path.map { .string($0.text) } ?? .null),
            .init("reason", .string(reason)), .init("actor", .string(actor)),
        ]
    }
}

extension Preset {
    package var auditMembers: [JSON.Member] {
        let shipped = versions.sorted { $0.key < $1.key }.map { JSON.string("\($0.key)@\($0.value)") }
        return [.init("ships", .array(shipped))]
    }
}

extension AppKey {
    package var auditMembers: [JSON.Member] {
        [
            .init("purpose", .string(purpose.rawValue)), .init("privateHalf", .bool(privateKey != nil)),
            .init("retiredAt", .audited(retiredAt)),
        ]
    }
}

extension DeviceListSummary {
    package var auditMembers: [JSON.Member] {
        [.init("devices", .integer(Int64(count))), .init("revision", .integer(revision))]
    }
}

extension TokenDraft {
    package var auditMembers: [JSON.Member] {
        [.init("name", .string(name))] + grant.members + [.init("expiresAt", .audited(expiresAt))]
    }
}

extension Token {
    /// Returns the members, which have no secret, after a change or a revocation.
    package func auditMembers(
        after change: TokenChange = TokenChange(), revokedAt: Timestamp? = nil
    ) -> [JSON.Member] {
        [.init("name", .string(change.name ?? name))] + grant.members + [
            .init("expiresAt", .audited(change.expiresAt ?? expiresAt)),
            .init("previousSecretExpiresAt", .audited(change.secret?.previousUntil ?? previousSecretExpiresAt)),
            .init("revokedAt", .audited(revokedAt ?? self.revokedAt)),
        ]
    }
}

extension User {
    /// Returns the members, which have no secret, after a change.
    package func auditMembers(after change: UserChange = UserChange(ending: .none)) -> [JSON.Member] {
        let hasFactor = if case .some(nil) = change.secondFactor { false } else { hasSecondFactor }
        return [
            .init("name", .string(name.text)),
            .init("grants", .array((change.grants ?? grants).map { .object($0.members) })),
            .init("disabled", .bool(change.isDisabled ?? isDisabled)), .init("secondFactor", .bool(hasFactor)),
        ] + (provider.map { [.init("provider", .string($0.text))] } ?? [])
    }
}

extension JSON {
    fileprivate static func audited(_ time: Timestamp?) -> JSON { time.map { .string($0.rfc3339) } ?? .null }
}

extension Webhook {
    /// The members without URL and secret: the URL of a robot is a secret as well.
    package var auditMembers: [JSON.Member] {
        [
            .init("kind", .string(kind.rawValue)), .init("host", endpoint.map { .string($0.description) } ?? .null),
            .init("events", .array(events.patterns.map { .string($0) })), .init("paused", .bool(pause != nil)),
        ]
    }
}
