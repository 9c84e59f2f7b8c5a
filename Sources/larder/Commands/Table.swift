import Client
import Ground

/// A column of a table of objects in a response.
struct Column: Sendable {
    let title: String
    /// The names of nested members that lead to the value.
    let path: [String]
    let kind: Kind

    enum Kind: Sendable {
        /// A text that may be cut.
        case text
        /// A text that is shown whole.
        case whole
        case number
        case bytes
        case time
        /// A state, which a terminal shows in a colour.
        case state
    }

    /// - Parameter path: The member of the object, or nested ones such as `verdict.state`.
    init(_ title: String, _ path: String, _ kind: Kind = .text) {
        self.title = title
        self.path = path.split(separator: ".").map(String.init)
        self.kind = kind
    }

    fileprivate func cell(of object: JSON, _ style: Table.Style) -> String {
        let value = path.reduce(JSON?.some(object)) { $0?[$1] }
        guard let value, value != .null, value != .array([]) else { return "-" }
        switch kind {
        case .bytes: return value.integer.map { ByteCount.text(Int($0)) } ?? OperatorCall.text(value)
        case .time:
            guard let time = value.string.flatMap({ Timestamp(rfc3339: $0) }) else { return OperatorCall.text(value) }
            return style.now.map { RelativeTime.text(time, now: $0) } ?? Self.wholeSeconds(time)
        case .text, .whole, .number, .state:
            if let elements = value.elements { return elements.map(Self.text).joined(separator: ",") }
            if let members = value.members {
                return members.map { "\(ShownText.of($0.key.utf8))@\(OperatorCall.text($0.value))" }
                    .joined(separator: " ")
            }
            return OperatorCall.text(value)
        }
    }

    /// Returns an element of a list; the values of an object are separated by colons.
    private static func text(_ element: JSON) -> String {
        element.members.map { $0.map { OperatorCall.text($0.value) }.joined(separator: ":") }
            ?? OperatorCall.text(element)
    }

    /// Returns a time without its fraction of a second.
    private static func wholeSeconds(_ time: Timestamp) -> String {
        Timestamp(milliseconds: time.milliseconds / 1_000 * 1_000).rfc3339
    }
}

/// A list of objects as lines of columns.
///
/// A terminal gets a header, times relative to now, lines that fit its width, and colours; any other output gets the
/// same columns with whole texts and times by RFC 3339, which suit other programs.
struct Table {
    let columns: [Column]
    let objects: [JSON]

    struct Style {
        /// The number of characters of a line; `nil` for any.
        var width: Int?
        var hasHeader = false
        var hasColor = false
        /// The time to which others are relative; `nil` for times by RFC 3339.
        var now: Timestamp?

        /// The style of standard output.
        static var ofOutput: Style {
            guard let width = Terminal.width else { return Style() }
            return Style(width: width, hasHeader: true, hasColor: Terminal.hasColor, now: SystemClientClock().wall())
        }
    }

    private static let gap = "  "
    /// The smallest width to which a column is cut.
    private static let smallest = 6

    func lines(_ style: Style = .ofOutput) -> [String] {
        let rows = objects.map { object in columns.map { $0.cell(of: object, style) } }
        guard !rows.isEmpty else { return [] }
        let header = style.hasHeader ? [columns.map { $0.title.uppercased() }] : []
        let widths = widths(of: header + rows, upTo: style.width)
        return (header + rows).enumerated().map { index, row in
            let isHeader = index < header.count
            let cells = row.indices.map { column in
                cell(
                    row[column], widths[column], columns[column].kind, isHeader, style, isLast: column == row.count - 1)
            }
            return cells.joined(separator: Self.gap)
        }
    }

    private func widths(of rows: [[String]], upTo width: Int?) -> [Int] {
        var widths = columns.indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        let gaps = Self.gap.count * (widths.count - 1)
        let elastic = columns.indices.filter { if case .text = columns[$0].kind { true } else { false } }
        while let width, widths.reduce(gaps, +) > width,
            let widest = elastic.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.smallest
        {
            widths[widest] -= 1
        }
        return widths
    }

    private func cell(
        _ text: String, _ width: Int, _ kind: Column.Kind, _ isHeader: Bool, _ style: Style, isLast: Bool
    ) -> String {
        let cut = TextWidth.cut(text, to: width)
        let blanks = String(repeating: " ", count: width - TextWidth.of(cut))
        let colored = style.hasColor ? Self.colored(cut, kind, isHeader) : cut
        switch kind {
        case .number, .bytes: return blanks + colored
        case .text, .whole, .time, .state: return isLast ? colored : colored + blanks
        }
    }

    /// Returns a text with the escape sequences of its colour.
    private static func colored(_ text: String, _ kind: Column.Kind, _ isHeader: Bool) -> String {
        func painted(_ code: Int) -> String { "\u{1B}[\(code)m\(text)\u{1B}[0m" }
        if isHeader { return painted(1) }
        switch kind {
        case .time: return painted(2)
        case .state:
            switch text {
            case "active", "completed", "healthy", "valid": return painted(32)
            case "scheduled", "paused", "waiting", "cooling-down": return painted(33)
            case "halted", "unhealthy", "failing", "unreadable": return painted(31)
            default: return painted(2)
            }
        default: return text
        }
    }
}
