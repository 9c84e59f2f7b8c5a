/// A digest that a client sends with bytes, to find out whether they came as they were sent.
package struct Checksum: Sendable, Equatable {
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha256, sha1

        /// Bytes of a digest.
        package var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha1: 20
            }
        }
    }

    package let algorithm: Algorithm
    package let value: [UInt8]

    /// Fails where the algorithm makes digests of another length.
    package init?(_ algorithm: Algorithm, _ value: [UInt8]) {
        guard value.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.value = value
    }
}
