/// A table of endpoints by method and path.
///
/// A trie of path segments: a literal segment takes precedence over a placeholder, and that over the rest of the path.
package struct Router<Endpoint: Sendable>: Sendable {
    struct Route: Sendable {
        let method: Method
        let pattern: String
        let names: [String]
        let endpoint: Endpoint
        let id: RouteID
    }

    struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var placeholder: Int?
        /// The routes whose pattern ends at this node.
        var routes: [Route] = []
        /// The routes whose pattern continues with `{name...}`, the rest of the path.
        var rests: [Route] = []
    }

    var nodes = [Node()]
    /// The names of the routes by ``RouteID``, as method and pattern; the first is `none`.
    package private(set) var names = ["none"]

    package init() {}

    /// Adds an endpoint under a pattern like `/apps/{app}/files/{path...}`.
    ///
    /// A placeholder stands for one whole segment, `{name...}` at the end for the rest of the path, which may be empty.
    /// A malformed or duplicate pattern is a programming error.
    package mutating func add(_ method: Method, _ pattern: String, _ endpoint: Endpoint) {
        precondition(pattern.hasPrefix("/"), "a pattern begins with /")
        let id = RouteID(self.names.count)
        self.names.append("\(method.token) \(pattern)")
        var node = 0
        var names: [String] = []
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
                node = literal(Array(segment.utf8), of: node)
                continue
            }
            let name = segment.dropFirst().dropLast()
            guard name.hasSuffix("...") else {
                names.append(String(name))
                node = placeholder(of: node)
                continue
            }
            precondition(index == segments.count - 1, "the rest of a path comes last")
            names.append(String(name.dropLast(3)))
            let route = Route(method: method, pattern: pattern, names: names, endpoint: endpoint, id: id)
            precondition(!nodes[node].rests.contains { $0.method == method }, "\(pattern) is there already")
            nodes[node].rests.append(route)
            return
        }
        precondition(!nodes[node].routes.contains { $0.method == method }, "\(pattern) is there already")
        nodes[node].routes.append(Route(method: method, pattern: pattern, names: names, endpoint: endpoint, id: id))
    }

    private mutating func literal(_ segment: [UInt8], of parent: Int) -> Int {
        if let known = nodes[parent].literals.first(where: { $0.segment == segment }) { return known.node }
        nodes.append(Node())
        nodes[parent].literals.append((segment, nodes.count - 1))
        return nodes.count - 1
    }

    private mutating func placeholder(of parent: Int) -> Int {
        if let known = nodes[parent].placeholder { return known }
        nodes.append(Node())
        nodes[parent].placeholder = nodes.count - 1
        return nodes.count - 1
    }
}
