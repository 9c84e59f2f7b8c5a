/// Makes texts smaller for the wire.
///
/// Takes milliseconds for what is not small: on a work executor, or before serving begins.
package protocol TextCompressor: Sendable {
    /// A gzip file (RFC 1952) of these bytes; `nil` where it would not be smaller, or there is no memory for it.
    func gzip(_ bytes: [UInt8]) -> [UInt8]?
    /// A brotli stream (RFC 7932) of these bytes; `nil` where it would not be smaller, or there is no memory for it.
    func brotli(_ bytes: [UInt8], effort: CodingEffort) -> [UInt8]?
}

/// How much processor time compression may take.
package enum CodingEffort: Sendable {
    /// For a text that is compressed once and sent to all clients: up to a tenth of a second.
    case best
    /// For a text of which one client can request many variants: some milliseconds.
    case quick
}
