import Foundation

/// The program under test: the one built beside these tests.
enum Larder {
    static let path: String = {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("larder").path
    }()

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], upTo limit: Duration = Waiting.patience
    ) throws -> Program.Outcome {
        try Program.run([path] + arguments, environment: environment, upTo: limit)
    }
}
