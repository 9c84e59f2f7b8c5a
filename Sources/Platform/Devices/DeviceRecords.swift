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
    }

    private let live: LiveApps
    private let store: any DeviceStore
    private let devicesSeen: DevicesSeen
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any DeviceStore, devicesSeen: DevicesSeen, cryptography: any Cryptography,
        clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.devicesSeen = devicesSeen
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns what is stored about a device.
    ///
    /// Throws `invalidRequest` for an empty or too long id.
    package func record(
        of id: String, in app: LiveApp
    ) async throws(PlatformError) -> (identity: DeviceIdentity, record: DeviceRecord) {
        let identity = try identity(of: id, in: app)
        return (identity, try await store.device(id, key: identity.key, in: app.id))
    }

    /// Erases a device from everything that names it.
    ///
    /// Statistics stay: they do not name devices. The device is recorded again if it sends further requests. Throws
    /// `invalidRequest` for an empty or too long id.
    package func erase(_ id: String, in app: LiveApp, by author: Operator) async throws(PlatformError) -> Receipt {
        let identity = try identity(of: id, in: app)
        return try await live.change(app) { () throws(PlatformError) in
            guard author.isRehearsing else {
                return try await devicesSeen.forgetting(identity.key, in: app) { () throws(PlatformError) in
                    try await erase(id, identity, in: app, by: author)
                }
            }
            return try await erase(id, identity, in: app, by: author)
        }
    }

    private func erase(
        _ id: String, _ identity: DeviceIdentity, in app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Receipt {
        let receipt = Hex.encode(cryptography.randomBytes(Self.receiptBytes))
        let now = clock.now()
        let erasure = try await store.eraseDevice(id, key: identity.key, in: app.id) { erasure in
            author.audit(
                .eraseDevice, receipt, in: app.id, at: now,
                [
                    .init("channels", .integer(Int64(erasure.channels))),
                    .init("reports", .integer(Int64(erasure.reports))),
                    .init("lists", .array(erasure.lists.map { .string($0.text) })),
                    .init("complete", .bool(erasure.isComplete)),
                ])
        }
        return Receipt(id: receipt, erasedAt: now, erasure: erasure)
    }

    private func identity(of id: String, in app: LiveApp) throws(PlatformError) -> DeviceIdentity {
        guard let identity = DeviceIdentity(of: id, in: app.id, by: cryptography) else {
            throw PlatformError(
                .invalidRequest,
                "A device id has 1 to \(DeviceIdentity.maximumLength) bytes. Send it percent-encoded.")
        }
        return identity
    }
}
