import Domain
import Glibc

/// The program, which runs the named command.
@main
struct Larder {
    static let version = "0.1.0"

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let commands: [any Command.Type] = [
            ServeCommand.self, LintCommand.self, PublishCommand.self, ReleaseCommand.self, ReleaseSetCommand.self,
            RollbackCommand.self, KillCommand.self, OnlineCommand.self, ExplainCommand.self, StatsCommand.self,
            DeviceListCommand.self, SyncCommand.self, TokenCommand.self, KeyCommand.self, PresetCommand.self,
            AuditCommand.self, PruneCommand.self, SimulateCommand.self,
            DoctorCommand.self, BackupCommand.self, RestoreCommand.self, MoveCommand.self,
        ]
        guard let name = arguments.first, name != "--help", name != "-h", name != "help" else {
            Terminal.out(overview(commands))
            exit(arguments.isEmpty ? ExitCode.usage.rawValue : ExitCode.success.rawValue)
        }
        if name == "--version" {
            Terminal.out("larder \(version)")
            return
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            Terminal.error("larder: unknown command '\(name)'. 'larder --help' lists the commands.")
            exit(ExitCode.usage.rawValue)
        }
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
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

    private static func overview(_ commands: [any Command.Type]) -> String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            "  " + command.name + String(repeating: " ", count: width - command.name.count + 2) + command.summary
        }
        return """
            larder \(version): stores, releases and delivers the offline packages of hybrid apps

            usage: larder COMMAND [OPTION …]

            \(lines.joined(separator: "\n"))

            Run 'larder COMMAND --help' for the options of a command. Exit status: 0 success, 1 failure, 64 wrong usage;
            2 depends on the command: refused by the server, lint errors, or findings.
            """
    }
}
