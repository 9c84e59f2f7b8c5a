/// The help on a command or one of its verbs, generated from the declarations of the verbs.
struct CommandHelp {
    let command: String
    /// The verbs that the help describes.
    let verbs: [Verb]
    /// Whether the help describes every verb of the command.
    let isWhole: Bool
    let about: String
    let ending: String

    private static let width = 110
    /// The column of an option's text.
    private static let column = 25

    var text: String {
        let summaries = verbs.filter { !$0.summary.isEmpty }
        let prose =
            isWhole
            ? [about, table(summaries)]
            : summaries.map { $0.summary.prefix(1).uppercased() + $0.summary.dropFirst() + "." }
        return ([usage] + prose + [options, ending]).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Returns a line for each verb.
    private func table(_ verbs: [Verb]) -> String {
        let width = verbs.map { $0.name.count }.max() ?? 0
        return verbs.map { verb in
            let name = "  \(verb.name)" + String(repeating: " ", count: width - verb.name.count + 2)
            return name + Self.wrapped(verb.summary, from: name.count)
        }.joined(separator: "\n")
    }

    private var usage: String {
        verbs.enumerated().map { index, verb in
            let required = verb.options.filter(\.isRequired).map(\.usage)
            let hasMore = verb.options.contains { !$0.isRequired }
            let words = [command, verb.name, verb.operands?.usage ?? ""] + required + (hasMore ? ["[OPTION …]"] : [])
            return (index == 0 ? "usage: larder " : "       larder ")
                + words.filter { !$0.isEmpty }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    private var options: String { shapes.map(line).joined(separator: "\n") }

    /// The options of all verbs, each text once.
    var shapes: [OptionShape] {
        var shapes: [OptionShape] = []
        for option in verbs.flatMap(\.options) where !shapes.contains(where: { $0.reads(like: option) }) {
            shapes.append(option)
        }
        return shapes
    }

    /// Returns the help of an option, with the verbs that take it if not all do.
    func text(of option: OptionShape) -> String {
        let takers = verbs.filter { verb in verb.options.contains { $0.reads(like: option) } }
        let variable = option.variable.map { " [env: \($0)]" } ?? ""
        let some = takers.count == verbs.count ? "" : " (\(takers.map(\.name).joined(separator: ", ")))"
        return option.help + variable + some
    }

    private func line(_ option: OptionShape) -> String {
        let begin = (option.letter.map { "  -\($0), " } ?? "      ") + option.usage
        let gap = String(repeating: " ", count: max(0, Self.column - begin.count))
        let head =
            begin.count + 2 <= Self.column ? begin + gap : begin + "\n" + String(repeating: " ", count: Self.column)
        return head + Self.wrapped(text(of: option), from: Self.column)
    }

    private static func wrapped(_ text: String, from column: Int) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if !last.isEmpty, last.count + 1 + word.count > width - column {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: column))
    }
}
