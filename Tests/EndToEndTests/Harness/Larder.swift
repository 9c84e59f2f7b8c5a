import Foundation

/// The program under test.
enum Larder {
    /// The path in `LARDER_PROGRAM`, or the program built beside these tests.
    static let path: String = {
        if let path = ProcessInfo.processInfo.environment["LARDER_PROGRAM"] { return path }
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
