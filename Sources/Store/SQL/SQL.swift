/// An SQL statement; interpolated values are bound, never spliced in.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The statement with a `?` for each value.
    package let text: String
    package let values: [SQLValue]

    package init(stringLiteral text: String) {
        self.text = text
        values = []
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        values = stringInterpolation.values
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [SQLValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount)
            values.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        package mutating func appendInterpolation(_ value: some SQLConvertible) {
            text += "?"
            values.append(value.sqlValue)
        }

        package mutating func appendInterpolation(_ value: (some SQLConvertible)?) {
            text += "?"
            values.append(value?.sqlValue ?? .null)
        }

        /// Appends a part of another statement with its values.
        package mutating func appendInterpolation(_ part: SQL) {
            text += part.text
            values += part.values
        }
    }
}
