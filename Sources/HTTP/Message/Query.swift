/// The query of a request as name-value pairs, `a=1&b=2`; looked up without taking it apart first.
package struct Query: Sendable {
    private let bytes: ArraySlice<UInt8>

    /// Reads the bytes behind the `?`.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    package var isEmpty: Bool { bytes.isEmpty }

    /// The first value of a name, percent-decoded; empty for a name without `=`.
    ///
    /// `+` stands for itself: versions like `1.0.0+5` come unescaped. A broken escape is kept as it is written, and
    /// bytes that are not UTF-8 are replaced.
    package subscript(_ name: String) -> String? {
        pairs.first { Self.isEqual($0.name, name) }.map { Self.text($0.value) }
    }

    /// The names, percent-decoded, in their order.
    package var names: [String] { pairs.map { Self.text($0.name) } }

    private var pairs: some Sequence<(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)> {
        bytes.split(separator: ASCII.ampersand).lazy.map { pair in
            guard let equals = pair.firstIndex(of: ASCII.equals) else { return (pair, pair[pair.endIndex...]) }
            return (pair[..<equals], pair[(equals + 1)...])
        }
    }

    private static func isEqual(_ written: ArraySlice<UInt8>, _ name: String) -> Bool {
        written.contains(ASCII.percent) ? text(written) == name : written.elementsEqual(name.utf8)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(ASCII.percent), let decoded = PercentDecoding.decode(bytes) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

extension RequestHead {
    /// The query as name-value pairs.
    package var query: Query { Query(bytes[queryRange]) }
}
