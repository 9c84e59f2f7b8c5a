package import Domain

/// What every URL in an answer begins with.
package struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// Without a final slash.
    package let text: String

    /// Fails unless it is an absolute `http` or `https` URL in ASCII, without query and fragment.
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

    /// Where an artifact is downloaded; changes whenever its bytes do (clients.md G3, G5).
    package func url(of artifact: Artifact) -> String {
        "\(text)/blobs/\(artifact.blob)/\(artifact.fileName.replacingPlus)"
    }

    /// Where the archive of a release is downloaded by clients that fetch no name twice (clients.md O4).
    func url(of artifact: Artifact, named name: ReleaseArchiveName) -> String {
        "\(text)/blobs/\(artifact.blob)/\(name.fileName.replacingPlus)"
    }

    /// Where a file of the unpacked copy of a version is, for a client with this base (decision 0016).
    func url(of path: TreePath, in version: VersionString, of package: PackageID, base: ClientBase) -> String {
        let parts = path.parts.map { $0.utf8.percentEncoded }.joined(separator: "/")
        return "\(text)\(base.path)/online/\(package)/\(version.text.replacingPlus)/\(parts)"
    }

    package var description: String { text }
}

extension Collection<UInt8> {
    /// One part of a path, in which nothing but RFC 3986's unreserved characters stands for itself.
    var percentEncoded: String {
        map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "-._~".utf8.contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }
}

extension String {
    /// A plus in a path is one to RFC 3986 and a space to some servers: the escape is the same to all.
    fileprivate var replacingPlus: String {
        split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%2B")
    }
}
