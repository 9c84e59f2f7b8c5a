package import Domain
package import Ground

extension Releaser {
    /// Returns the schedule by which devices download a version before its activeTime.
    ///
    /// Throws `versionNotFound`, and `invalidRequest` without a future activeTime, or if not every device could
    /// download the version by then.
    package func downloadWindow(
        _ budget: DownloadBudget, for version: VersionString, of package: Package, before activeTime: Timestamp?
    ) async throws(PlatformError) -> DownloadWindow {
        let now = try live.requireApp(package.app).decisionInstant(clock.now())
        guard let activeTime, activeTime > now else {
            throw PlatformError(
                .invalidRequest,
                "'downloads' spreads the downloads before a future 'activeTime'. Give a future 'activeTime', or leave out "
                    + "'downloads'."
            )
        }
        guard let summary = try await store.summary(of: version, of: package.id, in: package.app) else {
            throw PlatformError.noVersion(version, of: package.id)
        }
        let window = DownloadWindow(
            opensAt: max(now.adding(milliseconds: DownloadWindow.notice), budget.opensAt ?? now),
            bytesPerSecond: budget.bytesPerSecond, devices: budget.devices,
            archiveSize: summary.archiveSize)
        try window.requireFit(before: activeTime)
        return window
    }
}
