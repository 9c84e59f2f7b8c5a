/// The percent-decoded values of a route's placeholders in one request.
package struct PathValues: Sendable, Hashable {
    private let names: [String]
    private let values: [String]

    init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    /// The value of a placeholder; `nil` if the route has none with this name.
    ///
    /// A value is never empty, `.` or `..` and contains neither `/` nor NUL; only a trailing `{name...}` may be empty
    /// or contain `/` between such segments.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
