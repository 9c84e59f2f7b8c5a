package import Domain
package import Ground

/// What is asked of the downloads of a coming version.
package struct DownloadWish: Sendable {
    /// `nil`: as soon as devices know of it.
    package let opensAt: Timestamp?
    package let bytesPerSecond: Int64
    /// How many devices the release is for.
    package let devices: Int64

    package init(opensAt: Timestamp?, bytesPerSecond: Int64, devices: Int64) {
        self.opensAt = opensAt
        self.bytesPerSecond = bytesPerSecond
        self.devices = devices
    }
}

extension Releaser {
    /// When devices download a version ahead of its moment.
    ///
    /// Throws `versionNotFound`, and `invalidRequest` where there is no moment ahead, or not every device would have downloaded it
    /// by then.
    package func downloadWindow(
        _ wish: DownloadWish, for version: VersionString, of package: Package, before activeTime: Timestamp?
    ) async throws(PlatformError) -> DownloadWindow {
        let now = try live.requireApp(package.app).decisionInstant(clock.now())
        guard let activeTime, activeTime > now else {
            throw PlatformError(
                .invalidRequest,
                "'downloads' spreads what is downloaded ahead of a moment: give an 'activeTime' that lies ahead, or leave it out."
            )
        }
        guard let summary = try await live.store.summary(of: version, of: package.id, in: package.app) else {
            throw PlatformError.noVersion(version, of: package.id)
        }
        let window = DownloadWindow(
            opensAt: max(now.adding(milliseconds: DownloadWindow.notice), wish.opensAt ?? now),
            bytesPerSecond: wish.bytesPerSecond, devices: wish.devices,
            archiveSize: summary.archiveSize)
        try window.requireFit(before: activeTime)
        return window
    }
}
