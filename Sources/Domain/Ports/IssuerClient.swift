/// The reader of the documents that issuers of identity tokens publish.
package protocol IssuerClient: Sendable {
    /// Throws `invalidRequest` if a URL is malformed, or names an address that is not permitted.
    ///
    /// A host name is not resolved: its addresses count at each request.
    func requireUsable(_ url: String) throws(PlatformError)
    /// Returns the body of a response with 200; throws `busy`, with the cause, for any other outcome.
    ///
    /// Connects to permitted addresses only and follows no redirects. Blocks for at most some seconds.
    func document(at url: String) throws(PlatformError) -> [UInt8]
}
