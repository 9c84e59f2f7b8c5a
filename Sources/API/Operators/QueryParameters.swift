import Domain
import Ground
import HTTP

/// The parameters that a route of the operators' API takes in its query; it refuses all others.
struct QueryParameters: Sendable, ExpressibleByArrayLiteral {
    private(set) var names: [String]
    /// The prefix of further names, such as that of attributes; `nil` for none.
    private(set) var prefix: String?

    init(arrayLiteral names: String...) {
        self.init(names)
    }

    init(_ names: [String], prefix: String? = nil) {
        self.names = names
        self.prefix = prefix
    }

    func adding(_ name: String) -> QueryParameters {
        names.contains(name) ? self : QueryParameters(names + [name], prefix: prefix)
    }

    /// Throws `invalidRequest` for an unknown or repeated parameter: ignored, a misspelt `dryRun` would make the change.
    func check(_ query: Query) throws(PlatformError) {
        var seen: Set<String> = []
        for name in query.names {
            try check(name)
            guard seen.insert(name).inserted else {
                throw PlatformError(
                    .invalidRequest, "The parameter '\(ShownText.of(name.utf8))' is repeated. Send it once.")
            }
        }
    }

    private func check(_ name: String) throws(PlatformError) {
        if names.contains(name) { return }
        if let prefix, name.hasPrefix(prefix) { return }
        try refuseMisspelt(name)
        let known = names + (prefix.map { [$0 + "…"] } ?? [])
        let advice = known.isEmpty ? "The route takes none." : "It takes \(known.joined(separator: ", "))."
        throw PlatformError(
            .invalidRequest, "'\(ShownText.of(name.utf8))' is not a parameter of this route. \(advice)")
    }

    /// Throws `invalidRequest` for a name that nearly equals one of the parameters.
    func refuseMisspelt(_ name: String) throws(PlatformError) {
        guard !names.contains(name), let meant = names.first(where: { Self.folded($0) == Self.folded(name) }) else {
            return
        }
        throw PlatformError(
            .invalidRequest, "'\(ShownText.of(name.utf8))' is not a parameter of this route. Write '\(meant)'.")
    }

    private static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "-" && $0 != "_" } }
}
