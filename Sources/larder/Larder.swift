import Domain
import Glibc

/// The program, which runs the named command.
@main
struct Larder {
    static let version = "0.1.0"

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let name = arguments.first, name != "--help", name != "-h" else {
            Terminal.out(CommandTable.overview())
            exit(arguments.isEmpty ? ExitCode.usage.rawValue : ExitCode.success.rawValue)
        }
        if name == "--version" {
            Terminal.out("larder \(version)")
            return
        }
        if name == "help" { exit(help(Array(arguments.dropFirst())).rawValue) }
        guard let command = CommandTable.command(name) else {
            Terminal.error(CommandTable.unknown(name))
            exit(ExitCode.usage.rawValue)
        }
        let rest = Array(arguments.dropFirst())
        // A word after '--' is an operand.
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            Terminal.out(command.help(on: rest))
            return
        }
        exit(await run(command, rest).rawValue)
    }

    private static func run(_ command: any Command.Type, _ arguments: [String]) async -> ExitCode {
        do throws(CommandError) {
            return try await command.run(arguments)
        } catch {
            Terminal.error("larder \(command.name): \(error.message)")
            if error.code == .usage { Terminal.error("See 'larder \(command.name) --help'.") }
            return error.code
        }
    }

    /// Prints the help on the command and the verb that the words name.
    private static func help(_ words: [String]) -> ExitCode {
        guard let name = words.first else {
            Terminal.out(CommandTable.overview())
            return .success
        }
        guard let command = CommandTable.command(name) else {
            Terminal.error(CommandTable.unknown(name))
            return .usage
        }
        do throws(CommandError) {
            if words.count > 1, command.verbs.first?.name.isEmpty == false { _ = try command.verb(words[1]) }
        } catch {
            Terminal.error("larder \(command.name): \(error.message)")
            return error.code
        }
        Terminal.out(command.help(on: Array(words.dropFirst())))
        return .success
    }
}
