/// A digest that a client sends with bytes to detect transfer errors.
package struct Checksum: Sendable, Equatable {
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha256, sha1

        /// The bytes of a digest.
        package var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha1: 20
            }
        }
    }

    package let algorithm: Algorithm
    package let value: [UInt8]

    /// Fails if the digest does not have the algorithm's length.
    package init?(_ algorithm: Algorithm, _ value: [UInt8]) {
        guard value.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.value = value
    }
}
