package import Domain
import Ground
import HTTP

/// The parameters of a request's path, which routes read as parsed names.
package struct PathParameters: Sendable {
    private let values: PathValues

    init(_ values: PathValues) {
        self.values = values
    }

    /// Reads the name of an existing object; throws the error of an unknown name if it is malformed.
    func read<Value>(_ kind: NameKind<Value>) throws(PlatformError) -> Value { try kind.read(text(of: kind)) }

    /// Reads the name of an object that the request creates; throws `invalidRequest` if it is malformed.
    func readNew<Value>(_ kind: NameKind<Value>) throws(PlatformError) -> Value { try kind.readNew(text(of: kind)) }

    /// Returns whether the route has a parameter of this kind.
    func has<Value>(_ kind: NameKind<Value>) -> Bool { values[kind.placeholder] != nil }

    /// Returns a name, or `nil` if it is malformed, for routes with an error of their own for all unknown names.
    func valid<Value>(_ kind: NameKind<Value>) -> Value? { kind.parse(text(of: kind)) }

    /// Returns the text of a name in a form fit to be shown in messages.
    func shown<Value>(_ kind: NameKind<Value>) -> String { ShownText.of(text(of: kind).utf8) }

    /// Returns the client base that a path names; throws if a name is malformed.
    package func base() throws(PlatformError) -> ClientBase {
        guard let app = try readIfPresent(.app) else { return .root }
        return ClientBase(
            app: app, channel: try readIfPresent(.channel) ?? .production, legacyKey: try readIfPresent(.key))
    }

    /// The rest of the path, decoded; `nil` if the route has none.
    package var rest: String? { values["path"] }

    private func readIfPresent<Value>(_ kind: NameKind<Value>) throws(PlatformError) -> Value? {
        guard let text = values[kind.placeholder] else { return nil }
        return try kind.read(text)
    }

    private func text<Value>(of kind: NameKind<Value>) -> String { values[kind.placeholder] ?? "" }
}

/// The package that a client's path names, for the endpoints of dialects.
extension PathParameters {
    /// The package of the path; `nil` if it is missing or malformed.
    package var package: PackageID? { valid(.package) }

    /// Whether the path names a package, well-formed or not.
    package var namesPackage: Bool { has(.package) }

    /// The package's name in a form fit to be shown in messages.
    package var shownPackage: String { shown(.package) }
}
