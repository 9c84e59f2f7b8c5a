package import Ground

/// A finding of the linter: the fault, its location, and the remedy.
package struct LintFinding: Sendable, Equatable {
    package let code: Code
    /// The faulty file; `nil` for a finding about the package, or about unlisted findings.
    package let path: TreePath?
    /// A sentence for the developer of the package; contains no secret and no control characters.
    package let message: String

    package init(_ code: Code, _ path: TreePath?, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    package var severity: Severity { code.severity }

    package enum Severity: String, Sendable {
        /// The finding prevents publishing.
        case error
        case warning
    }

    /// The stable codes, in the order in which findings are listed; docs/lint.md describes the remedies.
    package enum Code: String, Sendable, CaseIterable {
        case entryMissing = "entry-missing"
        case secret = "secret"
        case referenceMissing = "reference-missing"
        case insecureReference = "insecure-reference"
        case nameUnsafe = "name-unsafe"
        case typeUnknown = "type-unknown"
        case serviceWorker = "service-worker"
        case sourceMap = "source-map"
        case fileTooLarge = "file-too-large"
        case packageGrew = "package-grew"
        case duplicateContent = "duplicate-content"

        package var severity: Severity { self == .entryMissing ? .error : .warning }
    }

    /// The finding as `{"severity": …, "code": …, "path": …, "message": …}`; the path may be absent.
    package var json: JSON {
        .object([
            "severity": .string(severity.rawValue), "code": .string(code.rawValue),
            "path": path.map { .string($0.text) }, "message": .string(message),
        ])
    }

    /// Parses the output of ``json``; fails for anything else.
    package init?(json: JSON) {
        guard let code = json["code"]?.string.flatMap(Code.init(rawValue:)), let message = json["message"]?.string
        else { return nil }
        let path = json["path"]?.string
        self.init(code, path.flatMap { try? TreePath($0) }, message)
        if path != nil, self.path == nil { return nil }
    }
}
