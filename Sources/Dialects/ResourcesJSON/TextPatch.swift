/// A patch from one text to another, in the text format of the library diff-match-patch (clients.md P14).
///
/// Offsets count UTF-16 units. The hunks apply at their exact positions, one after the other.
package enum TextPatch {
    /// The limit on the bytes of either text.
    package static let maximumBytes = 4 << 20
    /// The units of context around a change that a hunk repeats, as the library requires.
    static let margin = 4
    /// The distance up to which changes share a hunk, whose heading would cost more.
    static let joinedGap = 32

    /// Returns the patch; equal texts give equal patches.
    ///
    /// Returns `nil` if the texts are equal, the patch would exceed `limit` characters, or the search takes too long,
    /// and for texts that are too long, not UTF-8, begin with a byte order mark, which readers drop, or have characters
    /// beyond U+FFFF.
    ///
    /// Adds the work to `steps`: bytes read, units compared and paths followed, at most ``maximumSteps``.
    package static func make(from old: [UInt8], to new: [UInt8], limit: Int, steps: inout Int) -> String? {
        guard limit > 0, old.count <= maximumBytes, new.count <= maximumBytes else { return nil }
        steps += old.count + new.count
        guard let old = units(of: old), let new = units(of: new) else { return nil }
        let diff = TextDiff(from: old, to: new, maximumDistance: limit)
        steps += diff.steps
        guard let changes = diff.changes, !changes.isEmpty else { return nil }
        var writer = TextPatchWriter(old: old, new: new, limit: limit)
        return writer.write(joined(changes, in: old))
    }

    /// The limit on the steps of one patch.
    package static let maximumSteps = 2 * maximumBytes + 2 * TextDiff.maximumSteps

    private static func units(of bytes: [UInt8]) -> [UInt16]? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let units = Array(text.utf16)
        guard units.first != 0xFEFF, units.allSatisfy({ !UTF16.isSurrogate($0) }) else { return nil }
        return units
    }

    /// Merges two changes with the text between them if that is shorter to write.
    private static func joined(_ changes: [TextDiff.Change], in old: [UInt16]) -> [TextDiff.Change] {
        var joined: [TextDiff.Change] = []
        for change in changes {
            guard let last = joined.last else {
                joined.append(change)
                continue
            }
            let kept = last.old.upperBound..<change.old.lowerBound
            let lines = [last.old, last.new, change.old, change.new].count { !$0.isEmpty }
            // Each line has a sign and a line feed; merged, there are two lines, and both contain the text in between.
            let isShorter = kept.count < 2 * lines && kept.reduce(2) { $0 + PatchText.width(of: old[$1]) } < 2 * lines
            if isShorter {
                joined[joined.count - 1] = TextDiff.Change(
                    old: last.old.lowerBound..<change.old.upperBound, new: last.new.lowerBound..<change.new.upperBound)
            } else {
                joined.append(change)
            }
        }
        return joined
    }
}

/// A writer of changes as hunks that stops if the text becomes too long.
private struct TextPatchWriter {
    let old: [UInt16]
    let new: [UInt16]
    let limit: Int
    private var output = PatchText()

    init(old: [UInt16], new: [UInt16], limit: Int) {
        self.old = old
        self.new = new
        self.limit = limit
    }

    mutating func write(_ changes: [TextDiff.Change]) -> String? {
        var first = changes.startIndex
        while first < changes.endIndex {
            var last = first
            while last + 1 < changes.endIndex,
                changes[last + 1].old.lowerBound - changes[last].old.upperBound <= TextPatch.joinedGap
            {
                last += 1
            }
            writeHunk(changes[first...last])
            guard output.count <= limit else { return nil }
            first = last + 1
        }
        return output.text
    }

    private mutating func writeHunk(_ changes: ArraySlice<TextDiff.Change>) {
        guard let first = changes.first, let last = changes.last else { return }
        let leading = min(TextPatch.margin, first.old.lowerBound)
        let trailing = min(TextPatch.margin, old.count - last.old.upperBound)
        // The start counts in the new text, since hunks apply one after the other.
        let start = first.new.lowerBound - leading
        let oldLength = last.old.upperBound + trailing - (first.old.lowerBound - leading)
        let newLength = last.new.upperBound + trailing - start
        output.appendHeading(start, oldLength, newLength)
        output.appendLine(" ", old[first.old.lowerBound - leading..<first.old.lowerBound])
        var kept = first.old.lowerBound
        for change in changes {
            guard output.count <= limit else { return }
            output.appendLine(" ", old[kept..<change.old.lowerBound])
            output.appendLine("-", old[change.old])
            output.appendLine("+", new[change.new])
            kept = change.old.upperBound
        }
        output.appendLine(" ", old[kept..<kept + trailing])
    }
}
