import Ground

/// The page of a version that takes a package off devices: it redirects to the network (semantics.md §12).
package struct KillPage: Sendable, Equatable {
    /// The URL that the page leads to, as given.
    package let target: String

    /// Creates a page that leads to an absolute URL; throws the fault of an invalid one.
    package init(leadingTo target: String) throws(PageFault) {
        let (_, rest) = try PageOrigin.read(target)
        let isPlain = rest.allSatisfy { Self.isPlain($0) }
        guard isPlain, rest.first.map({ "/?#".utf8.contains($0) }) ?? true else { throw .path }
        self.target = target
    }

    /// Returns the files of the version, by path.
    ///
    /// - Parameters:
    ///   - entry: The package's entry page.
    ///   - dialects: The package's dialects; some of their clients always open `index.html`.
    package func files(entry: TreePath?, dialects: [any DialectRules]) -> [TreePath: [UInt8]] {
        let entry = entry ?? .index
        var files = [entry: html]
        if Self.needsIndex(beside: entry, dialects) { files[.index] = html }
        return files
    }

    /// Returns whether some clients need an `index.html` besides the entry.
    ///
    /// It is never added beside an entry that differs from it only in case, which a device's file system may not hold,
    /// nor, for clients without folders, beside an entry of the same file name.
    private static func needsIndex(beside entry: TreePath, _ dialects: [any DialectRules]) -> Bool {
        let index = TreePath.index.text
        let path = entry.text.lowercased()
        guard path != index else { return false }
        return dialects.contains { $0.opensIndex(beside: path) }
    }

    /// The HTML, which works without scripts; a script adds the query and fragment of the requested URL.
    private var html: [UInt8] {
        let escaped = target.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
        let keepsQuery = target.utf8.allSatisfy { !"?#".utf8.contains($0) }
        let script = keepsQuery ? "location.search + location.hash" : "\"\""
        return Array(
            """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <title>…</title>
            <script>location.replace("\(target)" + \(script))</script>
            <meta http-equiv="refresh" content="0;url=\(escaped)">
            <p><a href="\(escaped)">\(escaped)</a></p>

            """.utf8)
    }

    /// Returns whether a URL's byte (RFC 3986 §2) has no meaning in a script's string or an attribute, or is `&`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~:/?#[]@!$&()*+,;=%".utf8.contains(byte)
    }
}
