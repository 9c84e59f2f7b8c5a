package import Artifacts
package import Domain
import Synchronization

/// The orders of buckets that tests use, each computed once.
package enum BucketOrders {
    package static let cryptography = OpenSSLCryptography()
    private static let orders = Mutex<[Salt: Order]>([:])

    private struct Order {
        let table: PositionTable
        /// The buckets by position.
        let buckets: [Bucket]

        init(of salt: Salt) {
            let table = PositionTable(of: salt, by: cryptography)
            self.table = table
            let all = (0..<Bucket.count).compactMap { Bucket($0) }
            buckets = all.sorted { table.position(of: $0) < table.position(of: $1) }
        }
    }

    package static func table(of salt: Salt) -> PositionTable { order(of: salt).table }

    /// Returns the bucket at a position in the order of a salt.
    package static func bucket(at position: Int, of salt: Salt) -> Bucket? {
        let buckets = order(of: salt).buckets
        return buckets.indices.contains(position) ? buckets[position] : nil
    }

    private static func order(of salt: Salt) -> Order {
        orders.withLock { orders in
            if let order = orders[salt] { return order }
            let order = Order(of: salt)
            orders[salt] = order
            return order
        }
    }

    package static func identity(_ id: String) -> DeviceIdentity? {
        DeviceIdentity(of: id, in: .default, by: cryptography)
    }

    package static func devices(_ ids: [String]) -> DeviceSet { DeviceSet(ids.compactMap { identity($0)?.key }) }
}

extension Candidate {
    /// Creates a candidate with the resolved lists of device ids that its rules need.
    package convenience init(_ release: Release, lists: [DeviceListName: DeviceSet], hasFiles: Bool = true) {
        let audience = release.terms.audience
        self.init(
            release, positions: release.needsPositions ? BucketOrders.table(of: release.terms.salt) : nil,
            whitelist: audience.whitelist.flatMap { lists[$0] }, excluded: audience.excluded.flatMap { lists[$0] },
            hasFiles: hasFiles)
    }
}
