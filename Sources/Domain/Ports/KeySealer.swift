/// An encryption of stored private halves, which holds the sealing key.
///
/// A class without a description, so that printing never shows the key.
package protocol KeySealer: AnyObject, Sendable {
    /// Seals bytes for a label; each call returns different bytes.
    func seal(_ plain: [UInt8], for label: [UInt8]) throws(PlatformError) -> [UInt8]
    /// Opens sealed bytes; returns `nil` unless they are unchanged and were sealed with this key for this label.
    func open(_ sealed: [UInt8], for label: [UInt8]) -> [UInt8]?
}

/// The current sealing key, if any, and the previous one during a change.
package struct KeyProtection: Sendable {
    package let current: (any KeySealer)?
    package let previous: (any KeySealer)?

    package init(current: (any KeySealer)?, previous: (any KeySealer)? = nil) {
        self.current = current
        self.previous = previous
    }

    /// No protection: private halves are stored unsealed.
    package static let none = KeyProtection(current: nil)
}
