package import Domain
package import Ground

/// The use cases about one device: what is known of it, and its erasure (decision 0072).
package struct DeviceRecords: Sendable {
    private static let receiptBytes = 16

    /// The evidence that a device was erased, which does not name it.
    package struct Receipt: Sendable, Equatable {
        /// The subject of the audit entry.
        package let id: String
        package let erasedAt: Timestamp
        package let erasure: DeviceErasure
        /// Whether nothing that names the device is left; `false` also while reports wait in the spool.
        package let isComplete: Bool
        /// The time before which reports may be stored under an earlier secret, by which no erasure finds them.
        package let unreachableBefore: Timestamp?
    }

    private let live: LiveApps
    private let store: any DeviceStore
    private let spool: (any ReportSpool)?
    private let devicesSeen: DevicesSeen
    private let deviceIDs: DeviceIDs
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any DeviceStore, spool: (any ReportSpool)?, devicesSeen: DevicesSeen,
        deviceIDs: DeviceIDs, cryptography: any Cryptography, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.spool = spool
        self.devicesSeen = devicesSeen
        self.deviceIDs = deviceIDs
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns what is stored about a device.
    ///
    /// Throws `invalidRequest` for an empty or too long id.
    package func record(
        of id: String, in app: LiveApp
    ) async throws(PlatformError) -> (identity: DeviceIdentity, record: DeviceRecord) {
        guard let identity = deviceIDs.identity(of: id, in: app.id) else { throw Self.invalidID }
        return (identity, try await store.device(try names(of: id, in: app), in: app.id))
    }

    /// Erases a device from everything that names it.
    ///
    /// Statistics stay: they do not name devices. The device is recorded again if it sends further requests. Throws
    /// `invalidRequest` for an empty or too long id.
    package func erase(_ id: String, in app: LiveApp, by author: Operator) async throws(PlatformError) -> Receipt {
        let names = try names(of: id, in: app)
        return try await live.change(app) { () throws(PlatformError) in
            guard author.isRehearsing else {
                return try await devicesSeen.forgetting(names, in: app) { () throws(PlatformError) in
                    try await erase(names, in: app, by: author)
                }
            }
            return try await erase(names, in: app, by: author)
        }
    }

    private func erase(
        _ names: DeviceNames, in app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Receipt {
        let receipt = Hex.encode(cryptography.randomBytes(Self.receiptBytes))
        let now = clock.now()
        // Another node may have started with another secret.
        let record = try await store.settleDeviceSecret { $0 }
        let unreachable = record?.unreachableBefore(at: now)
        let isReachable =
            unreachable == nil && spool?.figures.reports ?? 0 == 0
            && record.map { $0.fingerprint == deviceIDs.fingerprint } ?? true
        let erasure = try await store.eraseDevice(names, in: app.id) { erasure in
            author.audit(
                .eraseDevice, receipt, in: app.id, at: now,
                [
                    .init("channels", .integer(Int64(erasure.channels))),
                    .init("reports", .integer(Int64(erasure.reports))),
                    .init("lists", .array(erasure.lists.map { .string($0.text) })),
                    .init("complete", .bool(erasure.isComplete && isReachable)),
                ],
                // The log must not keep what is erased.
                change: .none)
        }
        return Receipt(
            id: receipt, erasedAt: now, erasure: erasure, isComplete: erasure.isComplete && isReachable,
            unreachableBefore: unreachable)
    }

    private func names(of id: String, in app: LiveApp) throws(PlatformError) -> DeviceNames {
        guard let names = deviceIDs.names(of: id, in: app.id) else { throw Self.invalidID }
        return names
    }

    private static let invalidID = PlatformError(
        .invalidRequest, "A device id has 1 to \(DeviceIdentity.maximumLength) bytes. Send it percent-encoded.")
}
