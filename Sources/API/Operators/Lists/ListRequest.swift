import Domain
import Ground
import HTTP

/// The parameters of a request for a page of a list, besides the list's filters (decision 0082).
struct ListRequest: Sendable {
    /// The value of `sort`: the name of a property, after `-` for the reverse order.
    struct Sort: Sendable, Equatable {
        let name: String
        let isDescending: Bool

        init(_ text: some StringProtocol) {
            isDescending = text.hasPrefix("-")
            name = String(text.drop { $0 == "-" })
        }

        var text: String { (isDescending ? "-" : "") + name }
    }

    static let sort = "sort"
    static let cursor = "cursor"

    let limit: Int
    let sort: Sort
    /// The sort key of the last item of the previous page; `nil` for the first page.
    let after: [ListKey]?
    private let head: RequestHead

    /// - Parameter sorts: The properties by which the list may be sorted; the first is the standard one, after `-` if its
    ///   order is reverse.
    init(_ head: RequestHead, sorts: [String]) throws(PlatformError) {
        let query = head.query
        self.head = head
        limit = try PageLimit.list.read(query)
        let standard = Sort(sorts.first ?? "")
        let sort = query[Self.sort].map { Sort($0) } ?? standard
        let names = sorts.map { Sort($0).name }
        guard names.contains(sort.name), query[Self.sort].map({ $0 == sort.text }) ?? true else {
            throw JSONReader.wrong(Self.sort, Self.shape(of: sorts))
        }
        self.sort = sort
        after = try query[Self.cursor].map { text throws(PlatformError) in
            guard let keys = Self.keys(text, sortedBy: sort) else { throw Self.wrongCursor }
            return keys
        }
    }

    private static let wrongCursor = PlatformError(
        .invalidRequest,
        "'cursor' belongs to another list or another 'sort'. Follow the 'Link' of a response, or leave 'cursor' out to "
            + "begin with the first page.")

    /// Returns the texts of the previous page's last key; `nil` for the first page.
    func texts(_ count: Int) throws(PlatformError) -> [String]? {
        guard let after else { return nil }
        let texts = after.compactMap(\.text)
        guard texts.count == after.count, texts.count == count else { throw Self.wrongCursor }
        return texts
    }

    /// Returns the number that is the previous page's last key; `nil` for the first page.
    func number() throws(PlatformError) -> Int64? { try numbers(1)?[0] }

    /// Returns the numbers of the previous page's last key; `nil` for the first page.
    func numbers(_ count: Int) throws(PlatformError) -> [Int64]? {
        guard let after else { return nil }
        let numbers = after.compactMap(\.number)
        guard numbers.count == after.count, numbers.count == count else { throw Self.wrongCursor }
        return numbers
    }

    /// The parameters of a list with these filters and sorts.
    static func parameters(filters: [String]) -> QueryParameters {
        QueryParameters([PageLimit.parameter, cursor, sort] + filters)
    }

    /// Returns the values of `sort`, for messages.
    static func shape(of sorts: [String]) -> String {
        "one of " + sorts.map { Sort($0).name }.flatMap { [$0, "-" + $0] }.joined(separator: ", ")
    }

    /// Returns the value of `Link` for the page after an item.
    func link(after keys: [ListKey]) -> String {
        let cursor = JSON.array([.string(sort.text)] + keys.map(\.json)).bytes()
        let text = Base64.encodeForURL(cursor)
        return PageLink.next(head.path, head.query, Self.cursor, text)
    }

    private static func keys(_ text: String, sortedBy sort: Sort) -> [ListKey]? {
        let base = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base.utf8.count % 4) % 4)
        guard let bytes = Base64.decode(base + padding), let elements = JSON(parsing: bytes)?.elements,
            elements.first?.string == sort.text
        else { return nil }
        let keys = elements.dropFirst().compactMap(ListKey.init(json:))
        return keys.isEmpty || keys.count != elements.count - 1 ? nil : keys
    }
}

/// A part of the key by which a list is sorted; texts compare by their bytes, as in the database.
enum ListKey: Sendable, Equatable {
    case number(Int64)
    case text(String)

    init?(json: JSON) {
        switch json {
        case .integer(let number): self = .number(number)
        case .string(let text): self = .text(text)
        default: return nil
        }
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var number: Int64? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    var json: JSON {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }

    static func < (one: ListKey, other: ListKey) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): one < other
        case (.text(let one), .text(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        // Keys of one list have one kind in each place.
        case (.number, .text): true
        case (.text, .number): false
        }
    }

    /// Returns whether a key precedes another one.
    static func precedes(_ one: [ListKey], _ other: [ListKey]) -> Bool {
        one.lexicographicallyPrecedes(other, by: <)
    }
}
