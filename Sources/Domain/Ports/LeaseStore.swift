/// The store of leases: rights that one node has at a time, until it stops renewing them (decision 0064).
package protocol LeaseStore: Sendable {
    /// Takes a lease that is free or has ended, or renews the one with `token`; returns `nil` if another node has it.
    ///
    /// - Parameters:
    ///   - node: The name of this node, for operators.
    ///   - term: The time until the lease ends unless it is renewed, by the clock of the store.
    func takeLease(
        _ name: String, for node: String, renewing token: LeaseToken?, lasting term: Duration
    ) async throws(PlatformError) -> LeaseToken?
    /// Ends a lease before its time, if it still has this token.
    func releaseLease(_ token: LeaseToken) async throws(PlatformError)
}

/// The proof of a lease: every change of the holder has a higher number.
package struct LeaseToken: Sendable, Equatable {
    package let name: String
    package let number: Int64

    package init(name: String, number: Int64) {
        self.name = name
        self.number = number
    }
}

extension PlatformError {
    private static let leaseLostCause = "another server has the lease"

    /// Returns the error of a transaction under a lease that another node has taken.
    ///
    /// - Parameter node: The name of that node; `nil` if it is unknown.
    package static func leaseLost(to node: String?) -> PlatformError {
        let holder = node.map { "The server '\($0)'" } ?? "Another server of this installation"
        return PlatformError(
            .busy, "\(holder) has taken over the background work of this one.", cause: leaseLostCause)
    }

    /// Whether the error is one of ``leaseLost(to:)``.
    package var isLeaseLost: Bool { code == .busy && cause == Self.leaseLostCause }
}
