import Domain
import Ground
import Transport

/// An error response of the operators' API: its `application/problem+json` (RFC 9457).
package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    package let status: Int
    /// A stable code such as `bad-package`; `nil` if the body is not a problem document.
    package let code: String?
    package let detail: String
    /// The faulty entry of the zip, and the code of the fault.
    package let entry: String?
    package let reason: String?
    /// The id under which the server's log has the cause.
    package let id: String?
    /// The number of the release or set that is equal to the requested one; `nil` for other problems.
    package let existingRelease: Int64?

    init(_ response: ClientResponse) {
        let json = JSON(parsing: response.body)
        status = response.head.status
        code = json?["code"]?.string
        detail = json?["detail"]?.string ?? "The server's response has status \(response.head.status)."
        entry = json?["entry"]?.string
        reason = json?["reason"]?.string
        id = json?["id"]?.string
        existingRelease =
            code == "release-exists" ? json?["release"]?.integer ?? json?["releaseSet"]?.integer : nil
    }

    package var description: String { detail }
}
