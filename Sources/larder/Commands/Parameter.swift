/// An option as a verb declares it.
struct OptionShape: Hashable, Sendable {
    /// The name with its dashes: `--percent`.
    let name: String
    /// The name of the value in the help; `nil` for a flag.
    let placeholder: String?
    let help: String
    var isRequired = false
    /// The environment variable that supplies a missing value, named in the help.
    var variable: String?

    /// The form in the usage line: `--percent P`.
    var usage: String { placeholder.map { "\(name) \($0)" } ?? name }

    /// The letter of the short form, which an option has in every verb.
    var letter: Character? { Self.letters[name] }

    private static let letters: [String: Character] = [
        "--app": "a", "--channel": "c", "--force": "f", "--help": "h", "--json": "j", "--limit": "l",
        "--dry-run": "n", "--output": "o", "--package": "p", "--profile": "P", "--quiet": "q", "--server": "s",
        "--version": "v", "--watch": "w", "--yes": "y",
    ]

    /// The values that the placeholder lists, such as `json|csv`; empty for any other placeholder.
    var choices: [String] {
        guard let words = placeholder?.split(separator: "|").map(String.init), words.count > 1,
            words.allSatisfy({ $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
        else { return [] }
        return words
    }

    /// Whether the value is the path of a file or a folder.
    var isPath: Bool { ["PATH", "FILE", "DIR"].contains(placeholder) }

    /// Returns whether the help of both options is equal; the usage line shows which options are required.
    func reads(like other: OptionShape) -> Bool {
        usage == other.usage && help == other.help && variable == other.variable
    }
}

/// The words that a verb takes beside its options.
struct Operands: Sendable {
    /// The form in the usage line: `RELEASE`.
    let usage: String
    let most: Int
}

/// The options and operands that a verb declares, and the function that converts them to its input.
///
/// Only the declaring parameter reads a word: a verb cannot read an option that it does not declare, and each declared
/// option is parsed once (decision 0044).
struct Parameter<Value>: Sendable {
    let options: [OptionShape]
    let operands: Operands?
    fileprivate let value: @Sendable (borrowing Words) throws(CommandError) -> Value

    private init(
        options: [OptionShape] = [], operands: Operands? = nil,
        value: @escaping @Sendable (borrowing Words) throws(CommandError) -> Value
    ) {
        self.options = options
        self.operands = operands
        self.value = value
    }

    /// Combines several parameters, which are read in order.
    init<each Part>(_ parts: repeat Parameter<each Part>) where Value == (repeat each Part) {
        var options: [OptionShape] = []
        var operands: Operands?
        for part in repeat each parts {
            options += part.options.filter { !options.contains($0) }
            operands = part.operands ?? operands
        }
        self.init(options: options, operands: operands) { words throws(CommandError) in
            (repeat try (each parts).value(words))
        }
    }

    /// Returns a parameter with a fixed value.
    static func constant(_ value: Value) -> Parameter where Value: Sendable {
        Parameter { _ throws(CommandError) in value }
    }

    /// Returns the parameter with a converted value.
    func map<Result>(
        _ body: @escaping @Sendable (Value) throws(CommandError) -> Result
    ) -> Parameter<Result> {
        let value = value
        return Parameter<Result>(options: options, operands: operands) { words throws(CommandError) in
            try body(try value(words))
        }
    }
}

extension Parameter {
    /// Returns a parameter that concatenates the values of others.
    static func all<Element>(_ parts: [Parameter<[Element]>]) -> Parameter<[Element]> where Value == [Element] {
        parts.reduce(Parameter<[Element]>(value: { _ throws(CommandError) in [] })) { all, part in
            Parameter<([Element], [Element])>(all, part).map { $0 + $1 }
        }
    }
}

extension Parameter where Value == String? {
    /// Returns a parameter for an option with a value.
    static func option(_ name: String, _ placeholder: String, _ help: String, or variable: String? = nil) -> Self {
        let shape = OptionShape(name: name, placeholder: placeholder, help: help, variable: variable)
        return Self(options: [shape]) { words throws(CommandError) in words.values[name] }
    }
}

extension Parameter where Value == String {
    /// Returns a parameter for a required option.
    static func required(_ name: String, _ placeholder: String, _ help: String) -> Self {
        let shape = OptionShape(name: name, placeholder: placeholder, help: help, isRequired: true)
        return Self(options: [shape]) { words throws(CommandError) in
            guard let value = words.values[name] else { throw .usage("\(name) is missing: \(help)") }
            return value
        }
    }

    /// Returns a parameter for the single operand.
    ///
    /// - Parameter request: The error message for a missing operand.
    static func operand(_ usage: String, _ request: String) -> Self {
        Self(operands: Operands(usage: usage, most: 1)) { words throws(CommandError) in
            guard let word = words.operands.first else { throw .usage(request) }
            return word
        }
    }
}

extension Parameter where Value == Bool {
    /// Returns a parameter for an option without a value.
    static func flag(_ name: String, _ help: String) -> Self {
        Self(options: [OptionShape(name: name, placeholder: nil, help: help)]) { words throws(CommandError) in
            words.flags.contains(name)
        }
    }
}

extension Parameter where Value == [String] {
    /// Returns a parameter for up to `most` operands.
    static func operands(_ usage: String, upTo most: Int) -> Self {
        Self(operands: Operands(usage: usage, most: most)) { words throws(CommandError) in words.operands }
    }
}

extension Parameter where Value == [String: String] {
    /// Returns a parameter for options with values, by name.
    static func options(_ shapes: [OptionShape]) -> Self {
        Self(options: shapes) { words throws(CommandError) in
            let names = Set(shapes.map(\.name))
            return words.values.filter { names.contains($0.key) }
        }
    }
}

/// The words after a verb, split into options and operands by its declaration.
struct Words: ~Copyable {
    fileprivate private(set) var values: [String: String] = [:]
    fileprivate private(set) var flags: Set<String> = []
    fileprivate private(set) var operands: [String] = []

    private let options: [OptionShape]
    private let verb: String

    /// Reads `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, several flags as `-qy`, and operands; every word after
    /// `--` is an operand.
    fileprivate init(
        _ words: [String], options: [OptionShape], operands declared: Operands?, of verb: String
    ) throws(CommandError) {
        self.options = options
        self.verb = verb
        var words = words[...]
        var areOperands = false
        while let word = words.popFirst() {
            switch word {
            case "--" where !areOperands: areOperands = true
            case let word where !areOperands && word.hasPrefix("--"): try readLong(word, &words)
            case let word where !areOperands && word.hasPrefix("-") && word.count > 1: try readShort(word, &words)
            default:
                guard operands.count < declared?.most ?? 0 else {
                    throw .usage("'\(verb)' does not accept the argument '\(word)'")
                }
                operands.append(word)
            }
        }
    }

    private mutating func readLong(_ word: String, _ words: inout ArraySlice<String>) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try find(parts[0]) { $0.name == parts[0] }
        guard option.placeholder != nil else {
            guard parts.count == 1 else { throw .usage("\(option.name) does not accept a value") }
            flags.insert(option.name)
            return
        }
        try store(parts.count == 2 ? parts[1] : words.popFirst(), of: option)
    }

    private mutating func readShort(_ word: String, _ words: inout ArraySlice<String>) throws(CommandError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let option = try find("-\(letter)") { $0.letter == letter }
            guard option.placeholder == nil else {
                return try store(letters.isEmpty ? words.popFirst() : String(letters), of: option)
            }
            flags.insert(option.name)
        }
    }

    private func find(
        _ name: String, where isWanted: (OptionShape) -> Bool
    ) throws(CommandError) -> OptionShape {
        if let option = options.first(where: isWanted) { return option }
        let known = options.map(\.name)
        let hint = Suggestion.closest(to: name, in: known).map { " Did you mean \($0)?" } ?? ""
        throw .usage(
            "'\(verb)' does not accept \(name); it accepts "
                + "\(known.isEmpty ? "no options" : known.joined(separator: ", ")).\(hint)")
    }

    private mutating func store(_ value: String?, of option: OptionShape) throws(CommandError) {
        guard let value else { throw .usage("the value of \(option.name) is missing") }
        guard values.updateValue(value, forKey: option.name) == nil else {
            throw .usage("\(option.name) is given twice")
        }
    }
}

/// An action of a command, with the declaration of its command line.
struct Verb: Sendable {
    /// The name; empty for a command with a single action.
    let name: String
    /// The summary for the help, a few words long; empty for a command with a single action.
    let summary: String
    /// The request that the verb sends, if errors of the server may name it; `nil` for others.
    let route: Route?
    let options: [OptionShape]
    let operands: Operands?
    private let perform: @Sendable (borrowing Words) async throws(CommandError) -> ExitCode

    /// - Parameter route: The request that the verb sends, such as `GET /apps/{app}/presets`.
    init<Input>(
        _ name: String, _ summary: String, _ parameter: Parameter<Input>, route: Route? = nil,
        perform: @escaping @Sendable (Input) async throws(CommandError) -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.route = route
        options = parameter.options
        operands = parameter.operands
        let value = parameter.value
        self.perform = { words throws(CommandError) in try await perform(try value(words)) }
    }

    /// Creates the single action of a command.
    init<Input>(
        _ parameter: Parameter<Input>, route: Route? = nil,
        perform: @escaping @Sendable (Input) async throws(CommandError) -> ExitCode
    ) {
        self.init("", "", parameter, route: route, perform: perform)
    }

    /// - Parameter title: The command and the verb, for error messages.
    func run(_ words: [String], as title: String) async throws(CommandError) -> ExitCode {
        try await perform(try Words(words, options: options, operands: operands, of: title))
    }
}
