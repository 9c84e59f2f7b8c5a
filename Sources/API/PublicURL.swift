package import Domain
import Ground

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

    /// Returns the download URL of a release's archive for clients that fetch no name twice (clients.md O4).
    package func url(of artifact: Artifact, named name: ReleaseArchiveName) -> String {
        "\(text)/blobs/\(artifact.blob)/\(name.fileName.replacingPlus)"
    }

    /// Returns the URL of a file in a version's unpacked copy, for a client with this base (decision 0016).
    func url(of path: TreePath, in version: VersionString, of package: PackageID, base: ClientBase) -> String {
        let parts = path.parts.map { PercentEncoding.encode($0.utf8) }.joined(separator: "/")
        return "\(text)\(base.path)/online/\(package)/\(version.text.replacingPlus)/\(parts)"
    }

    package var description: String { text }
}

extension String {
    /// The text with every plus escaped, since some servers read a plus in a path as a space.
    fileprivate var replacingPlus: String {
        split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%2B")
    }
}
