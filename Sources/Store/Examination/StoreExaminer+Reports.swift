import Domain

extension StoreExaminer {
    /// Checks the kept ids of reports, and the filters by which a repeated report is found.
    func checkReports(_ database: Database, _ examination: inout Examination) throws {
        var filters = try ReportFilters(database)
        for segment in try database.keptSegments() {
            try checkIDs(of: segment, by: &filters, database, &examination)
            try checkFilter(of: segment.segment, in: "report_id_filters", database, &examination) {
                try database.keptHashes(of: segment.segment)
            }
        }
        guard database.dialect == .sqlite else { return }
        for segment in try database.values("SELECT segment FROM report_filters ORDER BY segment") as [Int64] {
            try checkFilter(of: segment, in: "report_filters", database, &examination) {
                try filters.hashes(in: database, where: "number >> 16 = \(segment)")
            }
        }
    }

    /// Checks that the ids are sorted, as many as their segment states, and those of all its reports that are still stored.
    private func checkIDs(
        of segment: ReportIDSegment, by filters: inout ReportFilters, _ database: Database,
        _ examination: inout Examination
    ) throws {
        let kept = try database.keptHashes(of: segment.segment)
        let isSorted = zip(kept, kept.dropFirst()).allSatisfy { $0 < $1 }
        var fault: String?
        if !isSorted {
            fault = "are not sorted"
        } else if kept.count != segment.ids {
            fault = "are \(kept.count) instead of \(segment.ids)"
        } else {
            let condition = database.dialect.isReport(
                from: ReportIDSegment.first(of: segment.segment), through: segment.through, of: segment.segment)
            let stored = try filters.hashes(in: database, where: condition)
            if !Set(kept).isSuperset(of: stored) { fault = "lack that of a stored report" }
        }
        guard let fault else { return }
        let number = segment.segment
        examination.add(
            .reportIDsDamaged, "segment \(number)",
            "The kept ids of its reports \(fault), so that a repeated report may count twice, for 7 days at most. Delete them "
                + "in the database, after which each repeated report of the segment counts again: DELETE FROM report_ids WHERE "
                + "segment = \(number); DELETE FROM report_id_filters WHERE segment = \(number); DELETE FROM "
                + "report_id_segments WHERE segment = \(number).")
    }

    /// Checks that a filter, if there is one, finds each report of its segment.
    private func checkFilter(
        of segment: Int64, in table: SQL, _ database: Database, _ examination: inout Examination,
        hashes: () throws -> [UInt64]
    ) throws {
        let bytes: [UInt8]? = try database.value("SELECT bits FROM \(table) WHERE segment = \(segment)")
        guard let filter = bytes.flatMap(ReportFilter.init(bytes:)) else { return }
        guard try !hashes().allSatisfy(filter.mayContain) else { return }
        examination.add(
            .reportFilterWrong, "segment \(segment)",
            "The filter of its reports in \(table.text) does not find all of them, so that a repeated report may count twice. "
                + "Delete it in the database, after which the server makes it again: DELETE FROM \(table.text) WHERE "
                + "segment = \(segment).")
    }
}
