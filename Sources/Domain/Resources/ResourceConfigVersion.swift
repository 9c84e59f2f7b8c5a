/// The `version` of a resource list: the sequence of its package's latest event, a dot, and the current version's name.
///
/// It grows with every change of the list, even if an older version returns (semantics.md §12).
package struct ResourceConfigVersion: Sendable, Hashable, CustomStringConvertible {
    package let sequence: Int64
    package let version: VersionString

    package init(sequence: Int64, version: VersionString) {
        self.sequence = sequence
        self.version = version
    }

    /// Fails for text that cannot be the `version` of a list.
    package init?(_ text: String) {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")), let sequence = Int64(text[..<dot]), sequence >= 0,
            let version = VersionString(String(text[text.utf8.index(after: dot)...])),
            DottedVersion(version.text) != nil
        else { return nil }
        self.init(sequence: sequence, version: version)
        guard description == text else { return nil }
    }

    package var description: String { "\(sequence).\(version)" }
}
