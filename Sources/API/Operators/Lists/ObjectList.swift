import Domain
import Ground
import HTTP

/// A list of few objects, which are read as a whole and of which a response shows a page.
///
/// The number of its objects is bounded by a limit of the object. Lists without such a limit are read in pages from the
/// database.
struct ObjectList<Item: Sendable>: Sendable {
    /// An order of the list.
    struct Sort: Sendable {
        /// The name, after `-` if the list's own order is the reverse one.
        let name: String
        /// The key of an item, which no other item has.
        let key: @Sendable (Item) -> [ListKey]

        init(_ name: String, _ key: @escaping @Sendable (Item) -> [ListKey]) {
            self.name = name
            self.key = key
        }
    }

    /// A parameter that selects items.
    struct Filter: Sendable {
        let name: String
        /// Returns the condition that the value of the parameter states.
        let condition: @Sendable (String) throws(PlatformError) -> @Sendable (Item) -> Bool

        init(
            _ name: String,
            _ condition: @escaping @Sendable (String) throws(PlatformError) -> @Sendable (Item) -> Bool
        ) {
            self.name = name
            self.condition = condition
        }

        /// A filter by one of some values.
        static func choice<Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable>(
            _ name: String, _ type: Value.Type, _ value: @escaping @Sendable (Item) -> Value
        ) -> Filter {
            Filter(name) { (text) throws(PlatformError) in
                guard let wanted = Value(rawValue: text) else {
                    let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
                    throw JSONReader.wrong(name, "one of \(values)")
                }
                return { value($0) == wanted }
            }
        }

        /// The filter by a channel.
        static func channel(_ channel: @escaping @Sendable (Item) -> ChannelName) -> Filter {
            Filter("channel") { (text) throws(PlatformError) in
                let wanted = try NameKind.channel.read(text)
                return { channel($0) == wanted }
            }
        }

        /// The filter by a text in a name, regardless of case.
        static func text(_ names: @escaping @Sendable (Item) -> [String]) -> Filter {
            Filter("text") { (text) throws(PlatformError) in
                let wanted = text.lowercased()
                return { item in names(item).contains { $0.lowercased().contains(wanted) } }
            }
        }
    }

    let sorts: [Sort]
    let filters: [Filter]

    init(sorts: [Sort], filters: [Filter] = []) {
        self.sorts = sorts
        self.filters = filters
    }

    var parameters: QueryParameters { ListRequest.parameters(filters: filters.map(\.name)) }

    /// A page of the list.
    struct Page: Sendable {
        let items: [Item]
        /// The header field `Link`, if another page follows.
        let fields: Fields
    }

    /// Returns the page that a request asks for.
    func page(of items: [Item], for head: RequestHead) throws(PlatformError) -> Page {
        let request = try ListRequest(head, sorts: sorts.map(\.name))
        var items = items
        for filter in filters {
            guard let text = head.query[filter.name] else { continue }
            items = items.filter(try filter.condition(text))
        }
        guard let sort = sorts.first(where: { ListRequest.Sort($0.name).name == request.sort.name }) else {
            return Page(items: items, fields: Fields())
        }
        let isDescending = request.sort.isDescending
        func isBefore(_ one: [ListKey], _ other: [ListKey]) -> Bool {
            isDescending ? ListKey.precedes(other, one) : ListKey.precedes(one, other)
        }
        var keyed = items.map { (key: sort.key($0), item: $0) }
        if let after = request.after { keyed = keyed.filter { isBefore(after, $0.key) } }
        keyed.sort { isBefore($0.key, $1.key) }
        let page = keyed.prefix(request.limit)
        var fields = Fields()
        if keyed.count > request.limit, let last = page.last { fields[.link] = request.link(after: last.key) }
        return Page(items: page.map(\.item), fields: fields)
    }

    /// Returns the response with the page that a request asks for.
    func respond(
        _ name: String, _ items: [Item], to call: OperatorRoutes.Call, _ json: (Item) -> JSON
    ) throws(PlatformError) -> Response {
        let page = try page(of: items, for: call.request.head)
        return .json(.ok, .object([.init(name, .array(page.items.map(json)))]), fields: page.fields)
    }
}
