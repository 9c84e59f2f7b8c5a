import Domain
import Ground

/// A resolver from references to files, like in a browser that has the package under its URL prefix (RFC 3986 §5).
struct ReferenceResolver {
    let urlPrefix: URLPrefix

    enum Target: Equatable {
        /// A URL below the prefix, whose file should be in the package.
        case inside(TreePath, url: String)
        /// An `http:` URL on another host.
        case insecure
        /// A reference that is not checked: another host, scheme or package, a folder, a fragment, or a template.
        case other
    }

    /// Returns the folders from the root of the host at which a file's references start; `nil` if a page's `<base>`
    /// leads elsewhere.
    func base(of file: TreePath, saying base: String?) -> [[UInt8]]? {
        let folders = Self.parts(Array((urlPrefix.text + file.text).utf8)).dropLast()
        guard let base else { return Array(folders) }
        guard case .path(let path) = Self.split(base) else { return nil }
        // The part after the last slash is a file name, even if it is empty.
        return Self.join(path, to: Array(folders), keepingLast: false)
    }

    /// - Parameter base: The folders at which relative references start; `nil` to skip relative references.
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

    /// Returns the path of a reference without scheme and host.
    private static func split(_ reference: String) -> Split {
        var bytes = Array(reference.utf8)[...]
        while let first = bytes.first, first.isBlank { bytes.removeFirst() }
        while let last = bytes.last, last.isBlank { bytes.removeLast() }
        // These characters occur in templates, not in URLs.
        guard !bytes.contains(where: { $0 < 0x20 || ofTemplates.utf8.contains($0) }) else { return .other }
        let reserved = bytes.firstIndex { $0 == 0x3A || $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
        if let colon = reserved, bytes[colon] == UInt8(ascii: ":") {
            let scheme = bytes[..<colon].map(ASCII.lowercased)
            let isHTTP = scheme.elementsEqual("http".utf8) && bytes[colon...].starts(with: "://".utf8)
            guard isHTTP else { return .other }
            let host = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "/") }.map(ASCII.lowercased)
            // The names of XML vocabularies are never fetched.
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

    /// Resolves a path from some folders; returns `nil` if a part is not validly percent-encoded.
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
