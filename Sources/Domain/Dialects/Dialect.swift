/// The name of a client protocol besides `/config`, which packages turn on one by one (decision 0025).
///
/// Names are part of the operators' API and stored. Each dialect declares its own in its folder, unless
/// use cases need it (decision 0059).
package struct Dialect: RawRepresentable, Hashable, Sendable, Comparable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func < (left: Dialect, right: Dialect) -> Bool { left.rawValue < right.rawValue }
}
