package import Domain
import Glibc
import Platform
package import Store

/// The implementations of the ports between the servers of one installation.
package struct NodeAdapters: Sendable {
    package let store: any NodeStore
    package let feed: any ChangeFeed
    /// The number of the newest migration at the start.
    package let schema: Int64
    /// The name of this server, for operators.
    package let name: String
    /// The time until an unrenewed lease ends.
    package var leaseTerm = NodeLease.standardTerm

    /// - Parameter address: The database of the store.
    package init(_ store: SQLStore, at address: PostgreSQLAddress) throws(PlatformError) {
        self.store = store
        feed = try DatabaseWatch(address)
        schema = store.schema
        name = "\(Self.hostName):\(getpid())"
    }

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
