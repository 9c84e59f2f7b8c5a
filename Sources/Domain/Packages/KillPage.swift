/// The page that a version is made of which takes a package off devices: it leads to the network (semantics.md §12).
package struct KillPage: Sendable, Equatable {
    /// Where it leads, as it was given.
    package let target: String

    /// Takes an absolute URL; throws what is wrong with it.
    package init(leadingTo target: String) throws(PageFault) {
        let (_, rest) = try PageOrigin.read(target)
        let isPlain = rest.allSatisfy { Self.isPlain($0) }
        guard isPlain, rest.first.map({ "/?#".utf8.contains($0) }) ?? true else { throw .path }
        self.target = target
    }

    /// The files of the version, by path.
    ///
    /// - Parameters:
    ///   - entry: The package's first page.
    ///   - dialects: Some clients look for `index.html`, whatever is said.
    package func files(entry: TreePath?, dialects: Set<Dialect>) -> [TreePath: [UInt8]] {
        let entry = entry ?? .index
        var files = [entry: html]
        if Self.needsIndex(beside: entry, dialects) { files[.index] = html }
        return files
    }

    /// Whether clients look for a page where the entry is not: at the root, or anywhere under its name.
    ///
    /// Never beside one that differs from it in case alone, which no file system of a device may hold, nor, for those that
    /// know no folders, beside one of the same name.
    private static func needsIndex(beside entry: TreePath, _ dialects: Set<Dialect>) -> Bool {
        let index = TreePath.index.text
        let path = entry.text.lowercased()
        guard path != index else { return false }
        return dialects.contains(.newestPackage) || dialects.contains(.infoJSON) && !path.hasSuffix("/" + index)
    }

    /// Works without scripts; with them what was asked for behind the path goes along.
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

    /// Characters of a URL (RFC 3986 §2) that mean nothing in a script's string or an attribute, but for `&`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        IdentifierGrammar.isAlphanumeric(byte) || "-._~:/?#[]@!$&()*+,;=%".utf8.contains(byte)
    }
}
