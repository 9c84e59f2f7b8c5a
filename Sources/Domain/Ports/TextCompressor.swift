/// Makes texts smaller for the wire.
///
/// Takes milliseconds for what is not small: on a work executor, or before serving begins.
package protocol TextCompressor: Sendable {
    /// A gzip file (RFC 1952) of these bytes; `nil` where it would not be smaller, or there is no memory for it.
    func gzip(_ bytes: [UInt8]) -> [UInt8]?
    /// A brotli stream (RFC 7932) of these bytes; `nil` where it would not be smaller, or there is no memory for it.
    func brotli(_ bytes: [UInt8]) -> [UInt8]?
}
