package import Ground

/// That findings of a code are fine in a package: where, why, and who says so.
package struct LintWaiver: Sendable, Equatable {
    package let code: LintFinding.Code
    /// The file that it is about; `nil` for every finding of the code.
    package let path: TreePath?
    package let reason: String
    /// As in the audit log.
    package let actor: String
    package let time: Timestamp

    /// Bytes of a reason.
    package static let maximumReasonLength = 500
    /// Waivers of a package.
    package static let maximumPerPackage = 100

    package init(code: LintFinding.Code, path: TreePath?, reason: String, actor: String, time: Timestamp) {
        self.code = code
        self.path = path
        self.reason = reason
        self.actor = actor
        self.time = time
    }
}
