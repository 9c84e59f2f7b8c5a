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
        Self(options: shapes) { words throws(CommandError) in words.values }
    }
}

/// The words after a verb, split into options and operands by its declaration.
struct Words: ~Copyable {
    fileprivate private(set) var values: [String: String] = [:]
    fileprivate private(set) var flags: Set<String> = []
    fileprivate private(set) var operands: [String] = []

    fileprivate init(
        _ words: [String], options: [OptionShape], operands declared: Operands?, of verb: String
    ) throws(CommandError) {
        var words = words[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("--"), word != "--" else {
                guard operands.count < declared?.most ?? 0 else {
                    throw .usage("'\(verb)' does not accept the argument '\(word)'")
                }
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                let known = options.map(\.name).joined(separator: ", ")
                throw .usage(
                    "'\(verb)' does not accept \(name); it accepts \(known.isEmpty ? "no options" : known)")
            }
            guard option.placeholder != nil else {
                guard parts.count == 1 else { throw .usage("\(name) does not accept a value") }
                flags.insert(name)
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
                throw .usage("the value of \(name) is missing")
            }
            guard values.updateValue(value, forKey: name) == nil else { throw .usage("\(name) is given twice") }
        }
    }
}

/// An action of a command, with the declaration of its command line.
struct Verb: Sendable {
    /// The name; empty for a command with a single action.
    let name: String
    let options: [OptionShape]
    let operands: Operands?
    private let perform: @Sendable (borrowing Words) async throws(CommandError) -> ExitCode

    init<Input>(
        _ name: String, _ parameter: Parameter<Input>,
        perform: @escaping @Sendable (Input) async throws(CommandError) -> ExitCode
    ) {
        self.name = name
        options = parameter.options
        operands = parameter.operands
        let value = parameter.value
        self.perform = { words throws(CommandError) in try await perform(try value(words)) }
    }

    /// Creates the single action of a command.
    init<Input>(
        _ parameter: Parameter<Input>,
        perform: @escaping @Sendable (Input) async throws(CommandError) -> ExitCode
    ) {
        self.init("", parameter, perform: perform)
    }

    /// Returns several verbs with the same parameter.
    static func each<Input>(
        _ names: [String], _ parameter: Parameter<Input>,
        perform: @escaping @Sendable (String, Input) async throws(CommandError) -> ExitCode
    ) -> [Verb] {
        names.map { name in
            Verb(name, parameter) { input throws(CommandError) in try await perform(name, input) }
        }
    }

    /// - Parameter title: The command and the verb, for error messages.
    func run(_ words: [String], as title: String) async throws(CommandError) -> ExitCode {
        try await perform(try Words(words, options: options, operands: operands, of: title))
    }
}
