/// What a server takes from a peer before it refuses; each in bytes unless it says otherwise.
package struct Limits: Sendable, Hashable {
    /// Empty lines before the request line; past it 400.
    package var emptyLines = 4
    /// The request line, the fields and the empty line together; past it 431.
    package var headBytes = 16 << 10
    /// The request target; past it 414.
    package var targetBytes = 8 << 10
    /// The number of fields; past it 431.
    package var fieldCount = 100
    /// One line of chunked framing: the size and its extensions.
    package var chunkLineBytes = 256
    /// What all lines of chunked framing may take beyond their share of the body: see ``ChunkedDecoder``.
    package var chunkOverheadBytes = 16 << 10
    /// All trailer fields after a chunked body; they are read and dropped.
    package var trailerBytes = 4 << 10
    /// Request body that is read only to be thrown away, so that the connection stays usable.
    package var discardedBytes = 64 << 10

    /// Requests on one connection; the last is answered with `Connection: close`.
    package var requestsPerConnection = 100_000

    package init() {}
}
