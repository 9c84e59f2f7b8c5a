/// What the placeholders of a route stand for in one request, percent-decoded.
package struct PathParameters: Sendable, Hashable {
    private let names: [String]
    private let values: [String]

    init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    /// The value of a placeholder; `nil` for a name that the route does not have.
    ///
    /// Never empty, `.`, `..` or with a `/` or NUL in it; only a trailing `{name...}` may be empty or hold `/`
    /// between such segments.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
