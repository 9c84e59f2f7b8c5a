package import Ground

/// A waiver that accepts findings of a code in a package, with its author and reason.
package struct LintWaiver: Sendable, Equatable {
    package let code: LintFinding.Code
    /// The file; `nil` for every finding of the code.
    package let path: TreePath?
    package let reason: String
    /// The author's name in the audit log.
    package let actor: String
    package let time: Timestamp

    /// The limit on the bytes of a reason.
    package static let maximumReasonLength = 500
    /// The limit on the waivers of a package.
    package static let maximumPerPackage = 100

    package init(code: LintFinding.Code, path: TreePath?, reason: String, actor: String, time: Timestamp) {
        self.code = code
        self.path = path
        self.reason = reason
        self.actor = actor
        self.time = time
    }
}
