/// The sender of webhook requests over the network.
package protocol WebhookPost: Sendable {
    /// Throws `invalidRequest` if a URL is malformed, or names an address that is not permitted.
    ///
    /// A host name is not resolved: its addresses count at each attempt.
    func requireUsable(_ url: String) throws(PlatformError)
    /// Sends a request and returns the reply; returns `nil` if it was abandoned.
    ///
    /// Connects to permitted addresses only, checked for each connection after the name was resolved. Follows no
    /// redirects. Returns at the head of the response, or reads its body up to a limit if the request needs it; the body
    /// may have no proper end. Blocks for at most the time limit of an attempt.
    func send(_ request: WebhookRequest, isAbandoned: @escaping @Sendable () -> Bool) -> WebhookReply?
}

/// The reply to a webhook request.
package enum WebhookReply: Sendable, Equatable {
    /// A response, with the seconds of `Retry-After` and the beginning of its body.
    case response(status: Int, retryAfter: Int?, body: [UInt8])
    /// The host has no permitted address.
    case forbidden(String)
    /// There was no response, or none in time.
    case failure(String)
}
