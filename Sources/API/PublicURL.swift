package import Domain

/// The base of every URL in a response.
package struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// The URL without a final slash.
    package let text: String

    /// Fails unless the text is an absolute `http` or `https` URL in ASCII, without query and fragment.
    package init?(_ text: String) {
        let rest: Substring
        if text.hasPrefix("http://") {
            rest = text.dropFirst(7)
        } else if text.hasPrefix("https://") {
            rest = text.dropFirst(8)
        } else {
            return nil
        }
        guard let first = rest.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: ":"),
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"?#\\\"<>^`{|}".utf8.contains($0) })
        else { return nil }
        var trimmed = text
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        self.text = trimmed
    }

    /// Returns the download URL of an artifact; it changes whenever the bytes do (clients.md G3, G5).
    package func url(of artifact: Artifact) -> String {
        "\(text)/blobs/\(artifact.blob)/\(artifact.fileName.replacingPlus)"
    }

    /// Returns the download URL of a release's archive for clients that never fetch the same name twice (clients.md
    /// O4).
    func url(of artifact: Artifact, named name: ReleaseArchiveName) -> String {
        "\(text)/blobs/\(artifact.blob)/\(name.fileName.replacingPlus)"
    }

    /// Returns the URL of a file in a version's unpacked copy, for a client with this base (decision 0016).
    func url(of path: TreePath, in version: VersionString, of package: PackageID, base: ClientBase) -> String {
        let parts = path.parts.map { $0.utf8.percentEncoded }.joined(separator: "/")
        return "\(text)\(base.path)/online/\(package)/\(version.text.replacingPlus)/\(parts)"
    }

    package var description: String { text }
}

extension Collection<UInt8> {
    /// The bytes as one path segment, in which only RFC 3986's unreserved characters stay unescaped.
    var percentEncoded: String {
        map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "-._~".utf8.contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }
}

extension String {
    /// The text with every plus escaped, since some servers read a plus in a path as a space.
    fileprivate var replacingPlus: String {
        split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%2B")
    }
}
