package import Ground
import HTTP
import Transport

/// The first objects of a list, or all of them.
package struct ObjectPages {
    /// The list, in an object like that of a page.
    package let body: JSON
    /// Whether the list has further objects.
    package let hasMore: Bool
}

/// Lists that come in pages.
extension OperatorsClient {
    /// The limit on the pages of one list.
    package static let maximumPages = 1_000

    /// The most objects that servers put into a page.
    private static let longestPage = 1_000

    /// Returns a list with the objects of its pages, which `Link` with `rel="next"` names (RFC 8288).
    ///
    /// Each page is requested from this client's server, whatever host a link names, so that the token goes nowhere else.
    ///
    /// - Parameters:
    ///   - path: The path of the first page, below `/api/v1`.
    ///   - list: The member with the objects.
    ///   - limit: The number of objects after which no further page is requested; `nil` for all.
    package func pages(_ path: String, of list: String, upTo limit: Int? = nil) throws(OperatorsError) -> ObjectPages {
        var objects: [JSON] = []
        var others: [JSON.Member] = []
        var next: String? =
            limit.map { limit in
                "\(path)\(path.contains("?") ? "&" : "?")limit=\(min(limit, Self.longestPage))"
            } ?? path
        var count = 0
        while let page = next, limit.map({ objects.count < $0 }) ?? true {
            guard count < Self.maximumPages else {
                throw .malformedResponse("the list \(path) has more than \(Self.maximumPages) pages")
            }
            count += 1
            let response = try persistently(true) { () throws(OperatorsError) in try send(.get, page, Fields()) }
            guard let body = JSON(parsing: response.body), let elements = body[list]?.elements else {
                throw .malformedResponse("it contains no list '\(list)'")
            }
            objects += elements
            if count == 1 { others = (body.members ?? []).filter { $0.key != list } }
            next = try response.head.fields[.link].flatMap { (link) throws(OperatorsError) in try Self.next(in: link) }
        }
        let shown = limit.map { Array(objects.prefix($0)) } ?? objects
        return ObjectPages(
            body: .object([.init(list, .array(shown))] + others), hasMore: next != nil || shown.count < objects.count)
    }

    /// Returns the path below `/api/v1` of the next page in the value of `Link`.
    private static func next(in link: String) throws(OperatorsError) -> String? {
        for entry in link.split(separator: "<") {
            let parts = entry.split(separator: ">", maxSplits: 1)
            guard parts.count == 2, parts[1].contains("rel=\"next\"") || parts[1].contains("rel=next") else { continue }
            guard let begin = parts[0].firstRange(of: "/api/v1/") else {
                throw .malformedResponse("its next page is not below /api/v1")
            }
            return "/" + parts[0][begin.upperBound...]
        }
        return nil
    }
}
