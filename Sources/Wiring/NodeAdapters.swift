package import Domain
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
        feed = try DatabaseWatch(address, beside: store)
        schema = store.schema
        name = ServerName.own
    }
}
