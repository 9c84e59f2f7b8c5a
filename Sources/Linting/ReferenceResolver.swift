import Domain
import Ground

/// Finds out which file a reference leads to, as a browser would with the package under its URL prefix (RFC 3986 §5).
struct ReferenceResolver {
    let urlPrefix: URLPrefix

    enum Target: Equatable {
        /// Below the prefix: a file that ought to be in the package.
        case inside(TreePath, url: String)
        /// `http:` on another host.
        case insecure
        /// Another host, scheme or package, a folder, a place in the same page, a template's gap: nothing to say.
        case other
    }

    /// The folders, from the root of the host on, that a file's references start from; `nil` where a page's `<base>`
    /// leads elsewhere.
    func base(of file: TreePath, saying base: String?) -> [[UInt8]]? {
        let folders = Self.parts(Array((urlPrefix.text + file.text).utf8)).dropLast()
        guard let base else { return Array(folders) }
        guard case .path(let path) = Self.split(base) else { return nil }
        // What follows the last slash is a name, also where it is empty.
        return Self.join(path, to: Array(folders), keepingLast: false)
    }

    /// - Parameter base: `nil` leaves relative references alone.
    func resolve(_ reference: String, from base: [[UInt8]]?) -> Target {
        switch Self.split(reference) {
        case .insecure: return .insecure
        case .other: return .other
        case .path(let path):
            let isAbsolute = path.first == UInt8(ascii: "/")
            guard path.last != UInt8(ascii: "/"), let base = isAbsolute ? [] : base,
                let parts = Self.join(path, to: base, keepingLast: true)
            else { return .other }
            let url = Array("/".utf8) + parts.joined(separator: "/".utf8)
            guard url.starts(with: urlPrefix.text.utf8),
                let file = try? TreePath(validating: url.dropFirst(urlPrefix.text.utf8.count))
            else { return .other }
            return .inside(file, url: urlPrefix.text + file.text)
        }
    }

    // MARK: Parts

    private enum Split {
        case path([UInt8])
        case insecure
        case other
    }

    /// The path of a reference without scheme and host.
    private static func split(_ reference: String) -> Split {
        var bytes = Array(reference.utf8)[...]
        while let first = bytes.first, first.isBlank { bytes.removeFirst() }
        while let last = bytes.last, last.isBlank { bytes.removeLast() }
        // No URL holds these; templates do.
        guard !bytes.contains(where: { $0 < 0x20 || ofTemplates.utf8.contains($0) }) else { return .other }
        let reserved = bytes.firstIndex { $0 == 0x3A || $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
        if let colon = reserved, bytes[colon] == UInt8(ascii: ":") {
            let scheme = bytes[..<colon].map(ASCII.lowercased)
            let isHTTP = scheme.elementsEqual("http".utf8) && bytes[colon...].starts(with: "://".utf8)
            guard isHTTP else { return .other }
            let host = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "/") }.map(ASCII.lowercased)
            // Names of vocabularies, which nobody fetches.
            return host.isEmpty || host.elementsEqual("www.w3.org".utf8) ? .other : .insecure
        }
        if bytes.starts(with: "//".utf8) { return .other }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return path.isEmpty ? .other : .path(Array(path))
    }

    private static let ofTemplates = "{}<>|`\"^\\"

    private static func parts(_ path: [UInt8]) -> [[UInt8]] {
        path.split(separator: UInt8(ascii: "/")).map(Array.init)
    }

    /// Follows a path from some folders on; `nil` where a part is not validly percent-encoded.
    private static func join(_ path: [UInt8], to base: [[UInt8]], keepingLast: Bool) -> [[UInt8]]? {
        var joined = path.first == UInt8(ascii: "/") ? [] : base
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        if path.first == UInt8(ascii: "/") { parts = parts.dropFirst() }
        if !keepingLast { parts = parts.dropLast() }
        for part in parts {
            guard let decoded = PercentEncoding.decode(part), !decoded.contains(UInt8(ascii: "/")) else { return nil }
            if decoded.elementsEqual("..".utf8) {
                _ = joined.popLast()
            } else if !decoded.elementsEqual(".".utf8) {
                joined.append(decoded)
            }
        }
        return joined
    }
}
