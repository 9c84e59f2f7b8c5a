import Ground

/// The query of a request as name-value pairs, `a=1&b=2`.
package struct Query: Sendable {
    /// The maximum number of pairs; further pairs are left out (``RequestHead/hasTooManyParameters``).
    package static let maximumPairs = 128

    private struct Pair {
        /// The percent-decoded name.
        let name: ArraySlice<UInt8>
        /// The value as received, still percent-encoded.
        let value: ArraySlice<UInt8>

        init(_ written: ArraySlice<UInt8>) {
            let equals = written.firstIndex(of: ASCII.equals) ?? written.endIndex
            let name = written[..<equals]
            self.name = Query.decoded(name)
            value = written[equals...].dropFirst()
        }
    }

    private let pairs: [Pair]

    /// Reads the bytes after the `?`.
    package init(_ bytes: ArraySlice<UInt8>) {
        var pairs: [Pair] = []
        var start = bytes.startIndex
        while start < bytes.endIndex, pairs.count < Self.maximumPairs {
            let end = bytes[start...].firstIndex(of: ASCII.ampersand) ?? bytes.endIndex
            if start < end { pairs.append(Pair(bytes[start..<end])) }
            start = min(end + 1, bytes.endIndex)
        }
        self.pairs = pairs
    }

    package var isEmpty: Bool { pairs.isEmpty }

    /// The first value of a name, percent-decoded; empty for a name without `=`.
    ///
    /// `+` stands for itself, because clients send versions like `1.0.0+5` unescaped. Malformed escapes are kept as
    /// written, and bytes that are not UTF-8 are replaced.
    package subscript(_ name: String) -> String? {
        let count = name.utf8.count
        return pairs.first { $0.name.count == count && $0.name.elementsEqual(name.utf8) }.map { pair in
            String(decoding: Self.decoded(pair.value), as: UTF8.self)
        }
    }

    /// The percent-decoded names in the order of the query.
    package var names: [String] { pairs.map { String(decoding: $0.name, as: UTF8.self) } }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard bytes.contains(ASCII.percent), let decoded = PercentEncoding.decode(bytes) else { return bytes }
        return decoded[...]
    }
}

extension RequestHead {
    /// The query as name-value pairs.
    package var query: Query { Query(bytes[queryRange]) }

    /// A Boolean value indicating whether the query has more than ``Query/maximumPairs`` pairs.
    package var hasTooManyParameters: Bool {
        var count = 0
        var previous = ASCII.ampersand
        for byte in bytes[queryRange] {
            if previous == ASCII.ampersand, byte != ASCII.ampersand { count += 1 }
            previous = byte
        }
        return count > Query.maximumPairs
    }
}
