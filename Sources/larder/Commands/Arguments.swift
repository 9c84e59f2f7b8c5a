/// The words after a command, taken one by one: options with a value, flags, and the rest in order.
struct Arguments {
    private var options: [String: String] = [:]
    private var flags: Set<String> = []
    private(set) var positional: [String] = []

    /// - Parameters:
    ///   - valued: Options that take a value, `--name VALUE` or `--name=VALUE`.
    ///   - flags: Options that take none.
    init(_ words: [String], valued: Set<String>, flags known: Set<String> = []) throws(CommandError) {
        var words = words[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("--"), word != "--" else {
                positional.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if known.contains(name) {
                guard parts.count == 1 else { throw .usage("\(name) takes no value") }
                flags.insert(name)
            } else if valued.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
                    throw .usage("\(name) needs a value")
                }
                guard options.updateValue(value, forKey: name) == nil else { throw .usage("\(name) is given twice") }
            } else {
                throw .usage("there is no option \(name)")
            }
        }
    }

    subscript(_ name: String) -> String? { options[name] }

    /// Throws where there are more words than a command has a meaning for.
    func refusePositional(past count: Int) throws(CommandError) {
        if let surplus = positional.dropFirst(count).first { throw .usage("'\(surplus)' means nothing here") }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
}
