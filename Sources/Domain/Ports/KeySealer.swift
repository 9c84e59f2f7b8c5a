/// Seals private halves for where they are kept, and opens them; holds the key that does.
///
/// Never described: a class, so that nothing that is printed shows the key.
package protocol KeySealer: AnyObject, Sendable {
    /// Seals bytes for one label; never twice the same.
    func seal(_ plain: [UInt8], for label: [UInt8]) throws(PlatformError) -> [UInt8]
    /// What was sealed; `nil` unless it was with this key and for this label, and is unchanged.
    func open(_ sealed: [UInt8], for label: [UInt8]) -> [UInt8]?
}

/// The key under which private halves are kept, if any, and the one before it while it is changed.
package struct KeyProtection: Sendable {
    package let current: (any KeySealer)?
    package let previous: (any KeySealer)?

    package init(current: (any KeySealer)?, previous: (any KeySealer)? = nil) {
        self.current = current
        self.previous = previous
    }

    /// Private halves are kept as they are.
    package static let none = KeyProtection(current: nil)
}
