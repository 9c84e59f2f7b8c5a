package import Domain
package import Ground

extension HookedStore: ReportTotalStore {
    package func reportBacklog(upTo count: Int) async throws(PlatformError) -> ReportBacklog? {
        try await hooked(.reportBacklog) { () throws(PlatformError) in try await base.reportBacklog(upTo: count) }
    }
    package func addTotals(of step: ReportStep) async throws(PlatformError) -> [ReportTotal.Key] {
        try await hooked(.addTotals) { () throws(PlatformError) in try await base.addTotals(of: step) }
    }
    package func mergeHours(
        before end: Timestamp, upTo count: Int
    ) async throws(PlatformError) -> (count: Int, unreadable: [ReportTotal.Key]) {
        try await base.mergeHours(before: end, upTo: count)
    }
    package func removeDays(keeping count: Int) async throws(PlatformError) -> Int {
        try await base.removeDays(keeping: count)
    }
    package func reportProgress() async throws(PlatformError) -> ReportProgress { try await base.reportProgress() }
    package func reportSelection(
        of package: PackageID?, in app: AppID, _ query: ReportQuery
    ) async throws(PlatformError) -> ReportSelection {
        try await hooked(.reportSelection) { () throws(PlatformError) in
            try await base.reportSelection(of: package, in: app, query)
        }
    }
    package func totals(
        of selection: ReportSelection, from cursor: ReportCursor, upTo count: Int
    ) async throws(PlatformError) -> ReportTotalPage? {
        try await hooked(.totals) { () throws(PlatformError) in
            try await base.totals(of: selection, from: cursor, upTo: count)
        }
    }
}
