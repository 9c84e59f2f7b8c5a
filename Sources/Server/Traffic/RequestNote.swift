import HTTP

/// The record of a request for counters and the access log.
struct RequestNote {
    var started: Instant
    var route = RouteID.none
    var status: UInt16 = 0
    /// The bytes of the response so far, head and body.
    var bytes = 0
    /// The value of `X-Request-Id` in the response; empty for none.
    var id: [UInt8] = []
    /// Further facts for the access log alone.
    var details: Details?

    /// An object, because every connection has room for a note, and most need none of these.
    final class Details {
        let method: String
        let path: String
        let client: PeerAddress

        init(method: String, path: String, client: PeerAddress) {
            self.method = method
            self.path = path
            self.client = client
        }
    }
}
