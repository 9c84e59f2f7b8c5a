import Domain

/// Why the operators' API refused a request: what its `application/problem+json` says (RFC 9457).
package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    package let status: Int
    /// A word that never changes, such as `bad-package`; `nil` where the answer is no problem document.
    package let code: String?
    package let detail: String
    /// The entry of the zip that is at fault, and the word for why.
    package let entry: String?
    package let reason: String?
    /// Under which the operator finds the cause in the server's log.
    package let id: String?

    init(_ response: ClientResponse) {
        let json = JSON(parsing: response.body)
        status = response.head.status
        code = json?["code"]?.string
        detail = json?["detail"]?.string ?? "The server answered with \(response.head.status)."
        entry = json?["entry"]?.string
        reason = json?["reason"]?.string
        id = json?["id"]?.string
    }

    package var description: String { detail }
}
