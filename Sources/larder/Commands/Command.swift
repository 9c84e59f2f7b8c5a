import Client
import Ground

/// One command of the program.
protocol Command {
    static var name: String { get }
    /// Further names, which no list shows.
    static var aliases: [String] { get }
    /// The summary for the overview, a few words long.
    static var summary: String { get }
    /// The help text between usage and options.
    static var about: String { get }
    /// The help text after the options.
    static var ending: String { get }
    /// The command's verbs: one without a name, or several with names.
    static var verbs: [Verb] { get }
}

extension Command {
    static var aliases: [String] { [] }

    static var ending: String {
        "Exit status: 0 success; 1 no connection or a server failure; 2 refused by the server; 64 wrong usage."
    }

    /// Runs the verb that the arguments name.
    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let verbs = verbs
        if let only = verbs.first, only.name.isEmpty { return try await only.run(arguments, as: name) }
        guard let word = arguments.first else {
            throw .usage("a verb is missing; give one of \(verbs.map(\.name).joined(separator: ", "))")
        }
        return try await verb(word).run(Array(arguments.dropFirst()), as: "\(name) \(word)")
    }

    /// Returns the verb of a name.
    static func verb(_ word: String) throws(CommandError) -> Verb {
        let names = verbs.map(\.name)
        if let verb = verbs.first(where: { $0.name == word }) { return verb }
        let hint = Suggestion.closest(to: word, in: names).map { " Did you mean '\($0)'?" } ?? ""
        throw .usage("'\(word)' is not a verb of '\(name)'; give one of \(names.joined(separator: ", ")).\(hint)")
    }

    /// Returns the help on the verb that the arguments name, or else on the whole command.
    static func help(on arguments: [String]) -> String {
        let verbs = verbs
        let named = verbs.filter { $0.name == arguments.first }
        return CommandHelp(
            command: name, verbs: named.isEmpty ? verbs : named, isWhole: named.isEmpty, about: about, ending: ending
        ).text
    }
}

/// The exit codes, on which a CI can rely.
enum ExitCode: Int32, Sendable {
    case success = 0
    /// An error that a retry may solve.
    case failure = 1
    /// The server rejected the request; a retry will not help.
    case refused = 2
    /// The version was published with warnings; only if `--warnings-exit` asks for it.
    case warnings = 3
    case usage = 64
}

/// The error that ended a command, with a message for the user.
struct CommandError: Error {
    let code: ExitCode
    let message: String
    /// The number of the release or set that exists already; `nil` for other errors.
    var existing: Int64?

    static func usage(_ message: String) -> CommandError { CommandError(code: .usage, message: message) }
    static func failure(_ message: String) -> CommandError { CommandError(code: .failure, message: message) }
    static func refused(_ message: String) -> CommandError { CommandError(code: .refused, message: message) }

    /// Returns the error for a server's response: `failure` if a retry may succeed, such as after an internal error.
    static func serverProblem(_ problem: Problem, _ message: String) -> CommandError {
        problem.status < 500 && problem.status != 429 ? refused(message) : failure(message)
    }

    /// The limit on the bytes of a server's message.
    private static let longestProblem = 8_192

    /// Runs a call to a server, and converts its error to the error that ends the command.
    static func asking<Result>(_ body: () throws(OperatorsError) -> Result) throws(CommandError) -> Result {
        do throws(OperatorsError) { return try body() } catch {
            if case .refused(let problem) = error {
                let shown = ShownText.of(problem.description.utf8, upTo: longestProblem)
                var error = CommandError.serverProblem(problem, CommandTable.namingVerbs(in: shown))
                error.existing = problem.existingRelease
                throw error
            }
            throw .failure(error.description)
        }
    }
}
