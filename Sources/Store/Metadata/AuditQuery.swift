import Domain
import Ground

/// A query of the audit log, which reads only as much as an index does not exclude.
///
/// Each condition has an index that ends with the id, so that the first ids are found without sorting: those of several
/// actions are merged. Times are not in the order of ids, because the clocks of nodes differ, so a range of times is
/// first converted to the ids that it spans.
struct AuditQuery {
    private let filter: AuditFilter
    private let range: AuditRange
    private let limit: Int

    init(_ filter: AuditFilter, in range: AuditRange, limit: Int) {
        self.filter = filter
        self.range = range
        self.limit = limit
    }

    /// Returns the ids of the first matching entries, in any order.
    func ids(in database: Database) throws -> [Int64] {
        var range = range
        if filter.since != nil || filter.until != nil {
            let span = try database.row("SELECT min(id), max(id) FROM audit WHERE \(isInTime("time"))") { row in
                (lowest: try row[0] as Int64?, highest: try row[1] as Int64?)
            }
            guard let lowest = span?.lowest, let highest = span?.highest else { return [] }
            range.after = max(range.after, lowest - 1)
            range.before = min(range.before, highest + 1)
        }
        // The entries of one object or package are few, so its index serves all actions.
        guard let actions = filter.actions, filter.object == nil, filter.package == nil else {
            let own = try ids(of: filter.actions, range, in: database)
            guard let package = filter.package, let app = filter.app else { return own }
            let all = try Set(own).union(groupIDs(of: package, in: app, range, database))
            return Array(all.sorted(by: range.isNewestFirst ? (>) : (<)).prefix(limit))
        }
        var ids: [Int64] = []
        for action in actions { ids += try self.ids(of: [action], range, in: database) }
        ids.sort(by: range.isNewestFirst ? (>) : (<))
        return Array(ids.prefix(limit))
    }

    /// The number of release sets of a package whose entries belong to the package.
    private static let groupLimit = 1_000

    /// Returns the ids of the first matching entries of the release sets and approval requests with a package, in any order.
    ///
    /// Their subjects are numbers or, when a set is made, all versions of the set.
    private func groupIDs(
        of package: PackageID, in app: AppID, _ range: AuditRange, _ database: Database
    ) throws -> [Int64] {
        let members = try database.rows(
            """
            SELECT release_set, packages.id, versions.version FROM releases
            JOIN packages ON packages.number = releases.package JOIN versions ON versions.number = releases.version
            WHERE release_set IN (
                SELECT release_set FROM releases
                WHERE package = \(try database.packageNumber(package, in: app)) AND release_set IS NOT NULL
                ORDER BY release_set DESC LIMIT \(Self.groupLimit))
            ORDER BY releases.id
            """
        ) { row in (set: try row[0] as Int64, name: "\(try row[1] as PackageID)@\(try row[2] as VersionString)") }
        let sets = Dictionary(grouping: members, by: \.set).flatMap { set, members in
            [String(set), members.map(\.name).joined(separator: ",")]
        }
        let approvals = try database.rows("SELECT id, packages FROM approvals WHERE app = \(app)") { row in
            (id: String(try row[0] as Int64), packages: try row[1] as JSON)
        }
        let asked = approvals.filter { $0.packages.elements?.contains(.string(package.text)) ?? false }.map(\.id)
        var ids: [Int64] = []
        for (pattern, subjects) in [("release-set.*", sets), ("approval.*", asked)] where !subjects.isEmpty {
            let actions = (AuditAction.matching(pattern) ?? []).filter { filter.actions?.contains($0) ?? true }
            let texts = database.dialect.texts(in: .array(subjects.map { .string($0) }))
            ids += try self.ids(of: actions, "subject IN \(texts)", range, in: database)
        }
        return ids
    }

    private func ids(of actions: [AuditAction]?, _ range: AuditRange, in database: Database) throws -> [Int64] {
        if let object = filter.object { return try ids(of: actions, "subject = \(object)", range, in: database) }
        guard let package = filter.package?.text else { return try ids(of: actions, nil, range, in: database) }
        // The subjects of a package are its id and, after an `@`, whose successor is `A`, its versions.
        let (first, end) = ("\(package)@", "\(package)A")
        let subject: SQL = "(subject = \(package) OR subject >= \(first) AND subject < \(end))"
        // The index has the entries by subject, so that the first ids of many would be found by sorting all of them. Those of a
        // package with many entries are soon found in the order of ids.
        let few = try ids(of: actions, subject, range, in: database, isSorted: false, limit: Self.fewEntries + 1)
        guard few.count > Self.fewEntries else {
            return Array(few.sorted(by: range.isNewestFirst ? (>) : (<)).prefix(limit))
        }
        return try ids(of: actions, subject, range, in: database, isBySubject: false)
    }

    /// The number of a package's entries up to which they are read by the index of subjects.
    private static let fewEntries = 2_000

    /// - Parameters:
    ///   - subject: The condition of the changed object; `nil` for any.
    ///   - isSorted: Whether the first ids are returned, or any.
    ///   - isBySubject: Whether the index of subjects serves a condition of the changed object.
    private func ids(
        of actions: [AuditAction]?, _ subject: SQL?, _ range: AuditRange, in database: Database, isSorted: Bool = true,
        isBySubject: Bool = true, limit: Int? = nil
    ) throws -> [Int64] {
        var conditions: SQL = "id > \(range.after) AND id < \(range.before)"
        if let actor = filter.actor { conditions = "\(conditions) AND actor = \(actor)" }
        if let subject { conditions = "\(conditions) AND \(subject)" }
        if let app = filter.app { conditions = "\(conditions) AND app = \(app)" }
        if let actions {
            if let action = actions.first, actions.count == 1 {
                conditions = "\(conditions) AND action = \(action.rawValue)"
            } else {
                let names = JSON.array(actions.map { .string($0.rawValue) })
                conditions = "\(conditions) AND action IN \(database.dialect.texts(in: names))"
            }
        }
        // The ids bound the times already, so no index on them is used.
        if filter.since != nil || filter.until != nil { conditions = "\(conditions) AND \(isInTime("+time"))" }
        let order: SQL = !isSorted ? "" : range.isNewestFirst ? "ORDER BY id DESC" : "ORDER BY id"
        let index = index(isBySubject: isBySubject && subject != nil, hasActions: actions != nil)
        let source: SQL = index.map { "audit \(database.dialect.indexed(by: $0))" } ?? "audit"
        return try database.values(
            "SELECT id FROM \(source) WHERE \(conditions) \(order) LIMIT \(limit ?? self.limit)")
    }

    private func isInTime(_ time: SQL) -> SQL {
        let (since, until) = (filter.since?.milliseconds ?? .min, filter.until?.milliseconds ?? .max)
        return "\(time) >= \(since) AND \(time) < \(until)"
    }

    /// Returns the index that serves the filter; `nil` for the order of ids.
    private func index(isBySubject: Bool, hasActions: Bool) -> SQL? {
        if isBySubject { return "audit_by_subject" }
        // Entries of several actions are in the order of ids in the index of the app alone.
        if filter.package != nil, filter.app != nil { return "audit_by_app" }
        switch (filter.actor != nil, hasActions, filter.app != nil) {
        case (true, true, _): return "audit_by_actor_action"
        case (true, false, _): return "audit_by_actor"
        case (false, true, true): return "audit_by_app_action"
        case (false, true, false): return "audit_by_action"
        case (false, false, true): return "audit_by_app"
        case (false, false, false): return nil
        }
    }
}
