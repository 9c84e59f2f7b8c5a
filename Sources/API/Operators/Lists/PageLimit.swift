import Domain
import Ground
import HTTP

/// The number of items that a page of a list may have.
struct PageLimit: Sendable {
    /// The parameter that gives the number.
    static let parameter = "limit"

    let sizes: ClosedRange<Int>
    /// The number of items of a page whose size is not given.
    let standard: Int

    /// The limit of all lists but the audit log: without `limit` a page has the most items, so that a client that
    /// follows no `Link` gets complete lists of this length.
    static let list = PageLimit(sizes: 1...1_000, standard: 1_000)

    var shape: String { "a number from \(sizes.lowerBound) to \(sizes.upperBound)" }

    /// Reads the number of items of a page; throws `invalidRequest` for one that no page may have.
    func read(_ query: Query) throws(PlatformError) -> Int {
        guard let text = query[Self.parameter] else { return standard }
        guard let limit = Int(text), sizes.contains(limit) else {
            throw JSONReader.wrong(Self.parameter, shape)
        }
        return limit
    }
}

/// The link from a page of a list to the next one (RFC 8288).
enum PageLink {
    /// Returns the value of `Link`: the request with another value of the parameter that names the position.
    ///
    /// - Parameter path: The path of the request, percent-encoded.
    static func next(_ path: String, _ query: Query, _ parameter: String, _ position: String) -> String {
        let kept = query.names.filter { $0 != parameter }.map { name in
            "\(PercentEncoding.encode(name.utf8))=\(PercentEncoding.encode((query[name] ?? "").utf8))&"
        }
        return "<\(path)?\(kept.joined())\(parameter)=\(PercentEncoding.encode(position.utf8))>; rel=\"next\""
    }
}
