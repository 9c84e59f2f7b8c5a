package import Domain

extension HookedStore {
    package func numberResources(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest], recording list: ListHistory.Entry?,
        of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> ResourceNumbers {
        try await hooked(.numberResources) { () throws(PlatformError) in
            try await base.numberResources(
                current: current, coming: coming, recording: list, of: package, on: channel, in: app)
        }
    }

    package func toldNumbers(
        of digests: [ResourceID: SHA256Digest], of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> [ResourceID: Int64] {
        try await base.toldNumbers(of: digests, of: package, on: channel, in: app)
    }

    package func latestEvent(of package: PackageID, in app: AppID) async throws(PlatformError) -> Int64 {
        try await base.latestEvent(of: package, in: app)
    }

    package func listHistory(of package: PackageID, in app: AppID) async throws(PlatformError) -> ListHistory {
        try await base.listHistory(of: package, in: app)
    }
}
