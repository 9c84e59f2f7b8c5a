import Ground

extension Router {
    /// The state of a search in the trie.
    private struct Search {
        let method: Method
        /// The percent-decoded path without its first slash.
        let path: ArraySlice<UInt8>
        var values: [Range<Int>] = []
        var allowed: [Method] = []
    }

    /// Finds the endpoint of a request; `HEAD` falls back to `GET`.
    ///
    /// A path is bad if a segment is `.` or `..` in any spelling or contains a malformed escape, a `\`, an encoded `/`
    /// or control character, or bytes that are not UTF-8.
    package func match(_ method: Method, _ head: RequestHead) -> RouteMatch<Endpoint> {
        guard head.bytes[head.pathRange].first == ASCII.slash else { return .server(allow: methods) }
        guard let path = Self.decodedPath(of: head) else { return .badPath }
        var search = Search(method: method, path: path)
        if let route = find(from: 0, at: path.startIndex, &search) {
            let values = search.values.map { String(decoding: path[$0], as: UTF8.self) }
            return .found(route.endpoint, PathValues(names: route.names, values: values), route.id)
        }
        return search.allowed.isEmpty ? .notFound : .methodNotAllowed(allow: search.allowed)
    }

    /// The distinct methods of all routes, including `HEAD` for each `GET`.
    private var methods: [Method] {
        var methods: [Method] = []
        for route in nodes.lazy.flatMap({ $0.routes + $0.rests }) {
            for method in Self.methods(of: route) where !methods.contains(method) { methods.append(method) }
        }
        return methods
    }

    private static func methods(of route: Route) -> [Method] {
        route.method == .get ? [.get, .head] : [route.method]
    }

    /// Returns the decoded path without its first slash; returns the received bytes if there is nothing to decode.
    private static func decodedPath(of head: RequestHead) -> ArraySlice<UInt8>? {
        let path = head.bytes[head.pathRange].dropFirst()
        var isPlain = true
        var previous = ASCII.slash
        for byte in path {
            let isSuspect = byte == ASCII.percent || byte >= 128 || byte == ASCII.backslash
            if isSuspect || byte == ASCII.dot && previous == ASCII.slash {
                isPlain = false
                break
            }
            previous = byte
        }
        if isPlain { return path }
        var decoded: [UInt8] = []
        for (index, segment) in path.split(separator: ASCII.slash, omittingEmptySubsequences: false).enumerated() {
            guard let text = PercentDecoding.segment(segment) else { return nil }
            if index > 0 { decoded.append(ASCII.slash) }
            decoded += text.utf8
        }
        return decoded[...]
    }

    /// Finds the matching route below a node; `start` is the beginning of the next segment.
    private func find(from node: Int, at start: Int, _ search: inout Search) -> Route? {
        let end = search.path[start...].firstIndex(of: ASCII.slash) ?? search.path.endIndex
        for literal in nodes[node].literals where literal.segment.elementsEqual(search.path[start..<end]) {
            if let route = descend(to: literal.node, behind: end, &search) { return route }
        }
        if let placeholder = nodes[node].placeholder, start < end {
            search.values.append(start..<end)
            if let route = descend(to: placeholder, behind: end, &search) { return route }
            search.values.removeLast()
        }
        guard !nodes[node].rests.isEmpty, Self.isRest(search.path[start...]) else { return nil }
        guard let route = choose(nodes[node].rests, &search) else { return nil }
        search.values.append(start..<search.path.endIndex)
        return route
    }

    private func descend(to node: Int, behind end: Int, _ search: inout Search) -> Route? {
        guard end < search.path.endIndex else { return choose(nodes[node].routes, &search) }
        return find(from: node, at: end + 1, &search)
    }

    private func choose(_ routes: [Route], _ search: inout Search) -> Route? {
        if let route = routes.first(where: { $0.method == search.method }) { return route }
        if search.method == .head, let route = routes.first(where: { $0.method == .get }) { return route }
        for route in routes {
            for method in Self.methods(of: route) where !search.allowed.contains(method) {
                search.allowed.append(method)
            }
        }
        return nil
    }

    /// Whether all segments of a path, except possibly the last, are non-empty.
    private static func isRest(_ path: ArraySlice<UInt8>) -> Bool {
        var previous = ASCII.slash
        for byte in path {
            if byte == ASCII.slash, previous == ASCII.slash { return false }
            previous = byte
        }
        return true
    }
}
