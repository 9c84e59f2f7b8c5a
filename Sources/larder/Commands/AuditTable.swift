import Ground

/// The audit entries of a page as lines of columns.
struct AuditTable {
    private static let gap = "  "
    /// The smallest width to which a column is cut.
    private static let smallest = 6
    /// The columns that may be cut: actor, app and object.
    private static let elastic = [2, 4, 5]

    private let rows: [[String]]

    /// - Parameter entries: The entries of a response of the server.
    init(_ entries: [JSON]) {
        rows = entries.map { entry in
            let time = (entry["time"]?.string ?? "-").split(separator: ".")
            return [
                ReleaseCall.text(entry["id"]), ShownText.of((time[0] + (time.count > 1 ? "Z" : "")).utf8),
                ReleaseCall.text(entry["actor"]), ReleaseCall.text(entry["action"]), ReleaseCall.text(entry["app"]),
                ReleaseCall.text(entry["subject"]),
            ]
        }
    }

    /// Returns the lines, whose columns are cut so that they have at most `width` characters; `nil` for any width.
    func lines(upTo width: Int?) -> [String] {
        guard let first = rows.first else { return [] }
        var widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let gaps = Self.gap.count * (widths.count - 1)
        while let width, widths.reduce(gaps, +) > width,
            let widest = Self.elastic.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.smallest
        {
            widths[widest] -= 1
        }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let (text, width) = cell
                let cut = text.count > width ? "\(text.prefix(width - 1))…" : text
                let blanks = String(repeating: " ", count: width - cut.count)
                return column == 0 ? blanks + cut : cut + blanks
            }
            let line = cells.joined(separator: Self.gap)
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
