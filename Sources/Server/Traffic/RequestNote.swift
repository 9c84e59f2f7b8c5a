import HTTP

/// What is to be known of a request once it is answered.
struct RequestNote {
    var started: Instant
    var route = RouteID.none
    var status: UInt16 = 0
    /// Of the answer, as far as it was put together: head and body.
    var bytes = 0
    /// What its answer gives back in `X-Request-Id`; empty for nothing.
    var id: [UInt8] = []
    /// What only the access log wants to know.
    var details: Details?

    struct Details {
        let method: String
        let path: String
        let client: PeerAddress
    }
}
