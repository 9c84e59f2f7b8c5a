package import Ground

/// The conditions on the audit entries of a request; one that is `nil` permits all entries.
package struct AuditFilter: Sendable, Equatable {
    /// The whole name of the actor: `ci (#2)`, or `server`.
    package var actor: String?
    package var actions: [AuditAction]?
    /// The whole text of the changed object: `news@1.2.0`.
    package var object: String?
    package var app: AppID?
    /// The package that the changed object is, or to whose versions it belongs; with an app, also the release sets and approval
    /// requests with the package.
    ///
    /// Not combined with ``object``.
    package var package: PackageID?
    /// The earliest time.
    package var since: Timestamp?
    /// The time before which the entries are.
    package var until: Timestamp?

    package init(
        actor: String? = nil, actions: [AuditAction]? = nil, object: String? = nil, app: AppID? = nil,
        package: PackageID? = nil, since: Timestamp? = nil, until: Timestamp? = nil
    ) {
        self.actor = actor
        self.actions = actions
        self.object = object
        self.app = app
        self.package = package
        self.since = since
        self.until = until
    }
}

extension AuditAction {
    /// Returns the action with a name, or those of a subject with `.*`, such as `release.*`; `nil` if there is none.
    package static func matching(_ pattern: String) -> [AuditAction]? {
        if let action = AuditAction(rawValue: pattern) { return [action] }
        guard pattern.hasSuffix(".*") else { return nil }
        let actions = allCases.filter { $0.subject == pattern.dropLast(2) }
        return actions.isEmpty ? nil : actions
    }

    /// The subjects of all actions, sorted.
    package static let subjects: [String] = Set(allCases.map { String($0.subject) }).sorted()

    private var subject: Substring { rawValue.prefix { $0 != "." } }
}

/// The part of the audit log that a query reads.
package struct AuditRange: Sendable, Equatable {
    /// Only entries with a greater id are read.
    package var after: Int64
    /// Only entries with a smaller id are read.
    package var before: Int64
    package var isNewestFirst: Bool

    /// - Parameters:
    ///   - after: The id below those that are read; `nil` for no bound.
    ///   - before: The id above those that are read; `nil` for no bound.
    package init(after: Int64? = nil, before: Int64? = nil, isNewestFirst: Bool = true) {
        self.after = after ?? 0
        self.before = before ?? .max
        self.isNewestFirst = isNewestFirst
    }
}
