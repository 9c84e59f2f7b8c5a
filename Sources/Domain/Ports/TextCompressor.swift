/// A compressor of texts for transfer.
///
/// Compressing or expanding a large text takes milliseconds and belongs on a work executor, or before serving begins.
package protocol TextCompressor: Sendable {
    /// Returns a gzip file (RFC 1952) of the bytes; `nil` if it would not be smaller, or memory is short.
    func gzip(_ bytes: [UInt8]) -> [UInt8]?
    /// Returns a brotli stream (RFC 7932) of the bytes; `nil` if it would not be smaller, or memory is short.
    func brotli(_ bytes: [UInt8], effort: CodingEffort) -> [UInt8]?
    /// Returns the content of a gzip file, which may have several members (RFC 1952 §2.2).
    ///
    /// - Parameter limit: The longest content in bytes.
    func gunzip(_ bytes: [UInt8], upTo limit: Int) throws(ExpansionError) -> [UInt8]
}

package enum ExpansionError: Error {
    /// The bytes are no gzip file, or parts of it are missing or wrong.
    case damaged
    /// The content is longer than the limit.
    case tooLarge
    case memoryIsShort
}

/// The processor time that compression may take.
package enum CodingEffort: Sendable {
    /// Up to a tenth of a second, for a text that is compressed once and sent to all clients.
    case best
    /// Some milliseconds, for a text of which one client can request many variants.
    case quick
}
