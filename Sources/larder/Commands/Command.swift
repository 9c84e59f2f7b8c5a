import Client

/// One command of the program.
protocol Command {
    static var name: String { get }
    /// A few words for the overview.
    static var summary: String { get }
    static var help: String { get }
    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode
}

/// What a CI can rely on.
enum ExitCode: Int32, Sendable {
    case success = 0
    /// Something went wrong on the way; trying again may help.
    case failure = 1
    /// The server understood and refused; trying again will not help.
    case refused = 2
    case usage = 64
}

/// Why a command ended early, for the person who called it.
struct CommandError: Error {
    let code: ExitCode
    let message: String

    static func usage(_ message: String) -> CommandError { CommandError(code: .usage, message: message) }
    static func failure(_ message: String) -> CommandError { CommandError(code: .failure, message: message) }
    static func refused(_ message: String) -> CommandError { CommandError(code: .refused, message: message) }

    /// What the server said; one of its own faults, too much to do or a lack of room there may be gone at the next try.
    static func answered(_ problem: Problem, _ message: String) -> CommandError {
        problem.status < 500 && problem.status != 429 ? refused(message) : failure(message)
    }

    /// Asks a server; what it says, or that it cannot be asked, ends the command.
    static func asking<Result>(_ body: () throws(OperatorsError) -> Result) throws(CommandError) -> Result {
        do throws(OperatorsError) { return try body() } catch {
            if case .refused(let problem) = error { throw .answered(problem, problem.description) }
            throw .failure(error.description)
        }
    }
}
