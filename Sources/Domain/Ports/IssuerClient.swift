/// The client for issuers of identity tokens: it reads the documents that they publish, and exchanges codes for tokens.
package protocol IssuerClient: Sendable {
    /// Throws `invalidRequest` if a URL is malformed, or names an address that is not permitted.
    ///
    /// A host name is not resolved: its addresses count at each request.
    func requireUsable(_ url: String) throws(PlatformError)
    /// Returns the body of a response with 200; throws `busy`, with the cause, for any other outcome.
    ///
    /// Connects to permitted addresses only and follows no redirects. Blocks for at most some seconds.
    ///
    /// - Parameter token: An access token, which goes to no other URL.
    func document(at url: String, token: String?) throws(PlatformError) -> [UInt8]
    /// Sends a form and returns the status and the body of the response; throws `busy`, with the cause, without one.
    ///
    /// Connects to permitted addresses only and follows no redirects. Blocks for at most some seconds.
    func send(
        _ form: String, to url: String, authorization: String?
    ) throws(PlatformError) -> (status: Int, body: [UInt8])
}

extension IssuerClient {
    package func document(at url: String) throws(PlatformError) -> [UInt8] { try document(at: url, token: nil) }
}
