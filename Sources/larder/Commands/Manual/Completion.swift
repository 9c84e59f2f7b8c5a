/// The candidates for a word of the command line, from the declarations of the commands.
enum Completion {
    /// A candidate with its explanation.
    struct Candidate {
        let word: String
        let help: String
    }

    enum Result {
        case words([Candidate])
        /// The paths of files, which the shell knows.
        case files
    }

    /// Completes the last of the words after `larder`; it is empty at the beginning of a word.
    static func complete(_ words: [String]) -> Result {
        let current = words.last ?? ""
        guard words.count > 1, let first = words.first else {
            return matching(current, commandNames + [Candidate(word: "help", help: "explain a command or a verb")])
        }
        if first == "help" { return help(Array(words.dropFirst())) }
        guard let command = CommandTable.command(first) else { return .words([]) }
        let verbs = command.verbs
        if let only = verbs.first, only.name.isEmpty { return complete(Array(words.dropFirst()), of: only) }
        guard words.count > 2, let verb = verbs.first(where: { $0.name == words[1] }) else {
            return words.count == 2 ? matching(current, names(of: verbs)) : .words([])
        }
        return complete(Array(words.dropFirst(2)), of: verb)
    }

    private static var commandNames: [Candidate] {
        CommandTable.commands.map { Candidate(word: $0.name, help: $0.summary) }
    }

    private static func names(of verbs: [Verb]) -> [Candidate] {
        verbs.map { Candidate(word: $0.name, help: $0.summary) }
    }

    private static func help(_ words: [String]) -> Result {
        let current = words.last ?? ""
        guard words.count > 1 else { return matching(current, commandNames) }
        let verbs = CommandTable.command(words[0])?.verbs.filter { !$0.name.isEmpty } ?? []
        return words.count == 2 ? matching(current, names(of: verbs)) : .words([])
    }

    private static func complete(_ words: [String], of verb: Verb) -> Result {
        let current = words.last ?? ""
        let earlier = words.dropLast()
        guard !earlier.contains("--") else { return operand(of: verb) }
        if let option = earlier.last.flatMap({ option($0, of: verb) }), option.placeholder != nil {
            return value(of: option, current, prefix: "")
        }
        guard current.hasPrefix("-") else { return operand(of: verb) }
        let parts = current.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 {
            guard let option = option(parts[0], of: verb) else { return .words([]) }
            return value(of: option, parts[1], prefix: parts[0] + "=")
        }
        let unused = verb.options.filter { option in !earlier.contains { self.option($0, of: verb) == option } }
        return matching(current, unused.map { Candidate(word: $0.name, help: $0.help) })
    }

    /// Returns the option of a word such as `--app` or `-a`.
    private static func option(_ word: String, of verb: Verb) -> OptionShape? {
        verb.options.first { option in word == option.name || option.letter.map { "-\($0)" } == word }
    }

    private static func value(of option: OptionShape, _ current: String, prefix: String) -> Result {
        guard !option.isPath else { return .files }
        return matching(prefix + current, option.choices.map { Candidate(word: prefix + $0, help: option.help) })
    }

    private static func operand(of verb: Verb) -> Result {
        let words = verb.operands?.usage.split { !$0.isLetter }.map(String.init) ?? []
        return words.contains { ["DIR", "FILE", "ZIP"].contains($0) } ? .files : .words([])
    }

    private static func matching(_ current: String, _ candidates: [Candidate]) -> Result {
        .words(candidates.filter { $0.word.hasPrefix(current) })
    }
}
