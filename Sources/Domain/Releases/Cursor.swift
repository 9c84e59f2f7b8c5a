import Ground

/// A position in an app's events: the store's epoch and the sequence of the last event seen (semantics.md §5).
package struct Cursor: Hashable, Sendable, CustomStringConvertible {
    package let epoch: String
    package let sequence: Int64

    package init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Parses the output of ``description``.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 32, Hex.decode(parts[0]) != nil,
            let sequence = Int64(parts[1]), sequence >= 0, String(sequence) == parts[1]
        else { return nil }
        self.init(epoch: String(parts[0]), sequence: sequence)
    }

    package var description: String { "\(epoch).\(sequence)" }
}
