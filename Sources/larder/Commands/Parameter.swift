/// An option as a verb declares it.
struct OptionShape: Hashable, Sendable {
    /// With its dashes: `--percent`.
    let name: String
    /// What help calls the value; `nil` for a flag.
    let placeholder: String?
    let help: String
    var isRequired = false
    /// The environment variable that has the value otherwise, which help names.
    var variable: String?

    /// As usage shows it: `--percent P`.
    var usage: String { placeholder.map { "\(name) \($0)" } ?? name }

    /// Whether help shows the same of both; usage shows which options are required.
    func reads(like other: OptionShape) -> Bool {
        usage == other.usage && help == other.help && variable == other.variable
    }
}

/// The words that a verb takes beside its options.
struct Operands: Sendable {
    /// As usage shows them: `RELEASE`.
    let usage: String
    let most: Int
}

/// The options and operands that a verb declares, and the function that turns them into its input.
///
/// Words are read here alone, each by the parameter that declares it: a verb cannot read an option that it does not
/// declare, and an option that it declares is parsed once (decision 0044).
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

    /// Several parameters as one; they are read in their order.
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

    /// A value that no word gives.
    static func constant(_ value: Value) -> Parameter where Value: Sendable {
        Parameter { _ throws(CommandError) in value }
    }

    /// The parameter with its value made into another one.
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
    /// An option with a value.
    static func option(_ name: String, _ placeholder: String, _ help: String, or variable: String? = nil) -> Self {
        let shape = OptionShape(name: name, placeholder: placeholder, help: help, variable: variable)
        return Self(options: [shape]) { words throws(CommandError) in words.values[name] }
    }
}

extension Parameter where Value == String {
    /// An option with a value that has to be given.
    static func required(_ name: String, _ placeholder: String, _ help: String) -> Self {
        let shape = OptionShape(name: name, placeholder: placeholder, help: help, isRequired: true)
        return Self(options: [shape]) { words throws(CommandError) in
            guard let value = words.values[name] else { throw .usage("\(name) is needed: \(help)") }
            return value
        }
    }

    /// The one operand.
    ///
    /// - Parameter request: What is asked for if it is missing.
    static func operand(_ usage: String, _ request: String) -> Self {
        Self(operands: Operands(usage: usage, most: 1)) { words throws(CommandError) in
            guard let word = words.operands.first else { throw .usage(request) }
            return word
        }
    }
}

extension Parameter where Value == Bool {
    /// An option without a value.
    static func flag(_ name: String, _ help: String) -> Self {
        Self(options: [OptionShape(name: name, placeholder: nil, help: help)]) { words throws(CommandError) in
            words.flags.contains(name)
        }
    }
}

extension Parameter where Value == [String] {
    /// Operands, of which there may be fewer.
    static func operands(_ usage: String, upTo most: Int) -> Self {
        Self(operands: Operands(usage: usage, most: most)) { words throws(CommandError) in words.operands }
    }
}

extension Parameter where Value == [String: String] {
    /// Options with values, by name.
    static func options(_ shapes: [OptionShape]) -> Self {
        Self(options: shapes) { words throws(CommandError) in words.values }
    }
}

/// The words after a verb, taken apart by the options that it declares.
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
                    throw .usage("'\(word)' means nothing to '\(verb)'")
                }
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                let known = options.map(\.name).joined(separator: ", ")
                throw .usage("'\(verb)' takes no \(name); it takes \(known.isEmpty ? "no options" : known)")
            }
            guard option.placeholder != nil else {
                guard parts.count == 1 else { throw .usage("\(name) takes no value") }
                flags.insert(name)
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
                throw .usage("\(name) needs a value")
            }
            guard values.updateValue(value, forKey: name) == nil else { throw .usage("\(name) is given twice") }
        }
    }
}

/// Something that a command does, with what it reads of its command line.
struct Verb: Sendable {
    /// Empty for a command that does one thing.
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

    /// The one thing that a command does.
    init<Input>(
        _ parameter: Parameter<Input>,
        perform: @escaping @Sendable (Input) async throws(CommandError) -> ExitCode
    ) {
        self.init("", parameter, perform: perform)
    }

    /// Several verbs that read the same.
    static func each<Input>(
        _ names: [String], _ parameter: Parameter<Input>,
        perform: @escaping @Sendable (String, Input) async throws(CommandError) -> ExitCode
    ) -> [Verb] {
        names.map { name in
            Verb(name, parameter) { input throws(CommandError) in try await perform(name, input) }
        }
    }

    /// - Parameter title: The verb behind its command, for errors.
    func run(_ words: [String], as title: String) async throws(CommandError) -> ExitCode {
        try await perform(try Words(words, options: options, operands: operands, of: title))
    }
}
