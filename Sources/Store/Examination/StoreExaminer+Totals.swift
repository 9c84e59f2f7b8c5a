import Domain

extension StoreExaminer {
    /// Reads the sets of devices and the distributions of durations of all totals of reports, in pages.
    func checkTotals(_ database: Database, _ examination: inout Examination) throws {
        var condition: SQL = ""
        while true {
            let page = try database.rows(
                """
                SELECT \(SQL.totalColumns) FROM report_totals \(condition)
                ORDER BY version, span, start, event, release, reason, platform, app_version LIMIT 500
                """
            ) { row in try row.readableTotal() }
            for (total, isReadable) in page where !isReadable {
                let key = total.key
                examination.add(
                    .totalUnreadable, "version \(key.version), \(key.span.rawValue) \(key.start), \(key.event)",
                    "Its devices or durations cannot be read. \(remedy)")
            }
            guard let last = page.last?.total.key else { return }
            condition = """
                WHERE (version, span, start, event, release, reason, platform, app_version) > (
                    \(last.version), \(last.span), \(last.start), \(last.event), \(last.release), \(last.reason),
                    \(last.platform), \(last.appVersion))
                """
        }
    }
}
