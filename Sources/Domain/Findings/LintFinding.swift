package import Ground

/// What a linter has to say of a package: what is wrong, where, and what to do.
package struct LintFinding: Sendable, Equatable {
    package let code: Code
    /// The file that it is about; `nil` where it is about the package, or about more findings than are listed.
    package let path: TreePath?
    /// A sentence for whoever builds the package; holds no secret, and no control characters.
    package let message: String

    package init(_ code: Code, _ path: TreePath?, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    package var severity: Severity { code.severity }

    package enum Severity: String, Sendable {
        /// The package is not published with it.
        case error
        case warning
    }

    /// Words that never change, in the order in which findings are listed; docs/lint.md says what to do about each.
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

    /// `{"severity": …, "code": …, "path": …, "message": …}`, without a path where there is none.
    package var json: JSON {
        .object([
            "severity": .string(severity.rawValue), "code": .string(code.rawValue),
            "path": path.map { .string($0.text) }, "message": .string(message),
        ])
    }

    /// Fails for what ``json`` never gives.
    package init?(json: JSON) {
        guard let code = json["code"]?.string.flatMap(Code.init(rawValue:)), let message = json["message"]?.string
        else { return nil }
        let path = json["path"]?.string
        self.init(code, path.flatMap { try? TreePath($0) }, message)
        if path != nil, self.path == nil { return nil }
    }
}
