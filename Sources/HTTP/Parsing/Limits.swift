/// The limits on a peer's input, in bytes unless stated otherwise.
package struct Limits: Sendable, Hashable {
    /// The number of empty lines before the request line; with more the response is 400.
    package var emptyLines = 4
    /// The length of request line, fields and empty line together; with more the response is 431.
    package var headBytes = 16 << 10
    /// The length of the request target; with more the response is 414.
    package var targetBytes = 8 << 10
    /// The number of fields; with more the response is 431.
    package var fieldCount = 100
    /// The length of one line of chunked framing, the size and its extensions.
    package var chunkLineBytes = 256
    /// The length of all lines of chunked framing beyond their share of the body; see ``ChunkedDecoder``.
    package var chunkOverheadBytes = 16 << 10
    /// The length of all trailer fields after a chunked body, which are read and dropped.
    package var trailerBytes = 4 << 10
    /// The length of a request body that is read and discarded to keep the connection usable.
    package var discardedBytes = 64 << 10

    /// The number of requests on one connection; the last response has `Connection: close`.
    package var requestsPerConnection = 100_000

    package init() {}
}
