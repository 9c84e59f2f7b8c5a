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
            return try ids(of: filter.actions, range, in: database)
        }
        var ids: [Int64] = []
        for action in actions { ids += try self.ids(of: [action], range, in: database) }
        ids.sort(by: range.isNewestFirst ? (>) : (<))
        return Array(ids.prefix(limit))
    }

    private func ids(of actions: [AuditAction]?, _ range: AuditRange, in database: Database) throws -> [Int64] {
        var conditions: SQL = "id > \(range.after) AND id < \(range.before)"
        if let actor = filter.actor { conditions = "\(conditions) AND actor = \(actor)" }
        if let object = filter.object { conditions = "\(conditions) AND subject = \(object)" }
        if let package = filter.package?.text {
            // The subjects of a package are its id and, after an `@`, whose successor is `A`, its versions.
            let (first, end) = ("\(package)@", "\(package)A")
            conditions = "\(conditions) AND (subject = \(package) OR subject >= \(first) AND subject < \(end))"
        }
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
        let order: SQL = range.isNewestFirst ? "ORDER BY id DESC" : "ORDER BY id"
        let source: SQL = index.map { "audit \(database.dialect.indexed(by: $0))" } ?? "audit"
        return try database.values("SELECT id FROM \(source) WHERE \(conditions) \(order) LIMIT \(limit)")
    }

    private func isInTime(_ time: SQL) -> SQL {
        let (since, until) = (filter.since?.milliseconds ?? .min, filter.until?.milliseconds ?? .max)
        return "\(time) >= \(since) AND \(time) < \(until)"
    }

    /// The index that serves the filter; `nil` for the order of ids.
    private var index: SQL? {
        if filter.object != nil || filter.package != nil { return "audit_by_subject" }
        switch (filter.actor != nil, filter.actions != nil, filter.app != nil) {
        case (true, true, _): return "audit_by_actor_action"
        case (true, false, _): return "audit_by_actor"
        case (false, true, true): return "audit_by_app_action"
        case (false, true, false): return "audit_by_action"
        case (false, false, true): return "audit_by_app"
        case (false, false, false): return nil
        }
    }
}
