import Foundation
import Ground
import Synchronization
import TestKit
import Testing

extension EndToEnd {
    /// Tests `larder backup` and `larder restore` as deploy/README.md describes their use.
    @Suite struct BackupTests {
        private static let options = ["--prune", "off", "--keep-versions", "1", "--grace-hours", "24"]
        private static let day: Int64 = 86_400
        private var backup: String { "\(ScratchDirectory.path)/backup" }

        /// Creates a page with files of its own and one that all versions share.
        private func page(_ number: Int, files: Int = 20) throws -> String {
            var contents = ["same.js": SamplePackage.noise(20_000, seed: 7)]
            for file in 0..<files {
                contents["file-\(file).js"] = SamplePackage.noise(20_000, seed: UInt64(1_000 * number + file + 100))
            }
            return try SamplePackage.folder("page-\(number)", contents)
        }

        private func doctor(_ data: String) throws -> Program.Outcome { try Larder.run("doctor", "--data", data) }

        @Test func `the page's commands back up a server under load with pruning, and restore it`() throws {
            let clock = try MovedClock()
            let server = try Server(options: Self.options, environment: clock.environment)
            try server.putPackage("news")
            try server.mustPublish(page(0), as: "news", "0")
            try server.release("0", of: "news")
            let cursor = try #require(try server.get("/push").fields["larder-cursor"])
            let pages = try (1...60).map { try page($0) }
            let load = Load { round in
                guard round < pages.count else { return false }
                try server.mustPublish(pages[round], as: "news", "\(round + 1)")
                try server.release("\(round + 1)", of: "news")
                let pruned = try Program.run([Larder.path, "prune"], environment: server.environment)
                try #require(pruned.status == 0, "\(pruned.errorOutput)")
                try clock.move(by: Int64(round + 1) * Self.day)
                return true
            }
            let commands = try BackupPage.blocks()
            #expect(commands.count == 2)
            for round in 1...6 {
                try load.await(rounds: 2 * round)
                let outcome = try BackupPage.run(commands[0], backup: backup, environment: clock.environment)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
                let examined = try doctor(backup)
                #expect(examined.status == 0 && !examined.output.contains("note:"), "\(examined.output)")
            }
            #expect(try load.stop() == nil)
            // The server pruned meanwhile.
            #expect(try server.versions(of: "news").count < 12)
            try server.stop()

            let outcome = try BackupPage.run(commands[1], backup: backup, environment: clock.environment)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
            #expect(outcome.output.contains("restore complete: ") && outcome.output.hasSuffix("sound\n"))
            let restored = try Server(token: server.token, options: Self.options, environment: clock.environment)
            #expect(try LarderDevice("device").sync("news", with: restored) == "full")
            #expect(try restored.get("/push?cursor=\(cursor)").text.contains("refresh"))
        }

        @Test func `a second accident is kept apart from the first one`() throws {
            let commands = try BackupPage.blocks()
            let first = try Server()
            try first.putPackage("news")
            try first.mustPublish(page(1, files: 1), as: "news", "1")
            try Program.succeed([Larder.path, "backup", "--data", Server.defaultData, backup])
            try first.stop()
            for _ in 1...2 {
                let outcome = try BackupPage.run(commands[1], backup: backup, environment: [:])
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
                try Server(token: first.token).stop()
            }
            let lost = try FileManager.default.contentsOfDirectory(atPath: ScratchDirectory.path)
                .filter { $0.hasPrefix("lost") }
            #expect(lost.count == 2)
            for folder in lost { #expect(try doctor("\(ScratchDirectory.path)/\(folder)").status == 0) }
        }

        @Test func `a restore refuses a backup whose lock is a named pipe`() throws {
            try Server().stop()
            try Program.succeed([Larder.path, "backup", "--data", Server.defaultData, backup])
            try Program.succeed(["sh", "-c", "rm \"$0/lock\" && mkfifo \"$0/lock\"", backup])
            let outcome = try Larder.run(
                "restore", backup, "--data", "\(ScratchDirectory.path)/restored", upTo: .seconds(20))
            #expect(outcome.status == 1)
            #expect(outcome.errorOutput.contains("\(backup)/lock is not a regular file"), "\(outcome.errorOutput)")
        }

        /// Starts a backup that is killed at its n-th system call of these kinds, if it gets that far.
        private func backUpKilled(at number: Int, of calls: String) throws -> Program {
            try Program([
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
                "inject=\(calls):signal=SIGKILL:when=\(number)", Larder.path, "backup", "--data", Server.defaultData,
                backup,
            ])
        }

        @Test(
            .enabled(if: Probe.canTrace, "strace may not attach here"),
            arguments: [
                (calls: "mkdir", step: 90), (calls: "openat", step: 35), (calls: "rename", step: 2),
                (calls: "fsync,fdatasync,syncfs", step: 2), (calls: "unlink,rmdir", step: 3),
            ])
        func `a first backup that is killed at any step is completed by the next run and not served before`(
            _ way: (calls: String, step: Int)
        ) throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(page(1, files: 4), as: "news", "1")
            try server.stop()
            for number in Tracer.crashes(every: way.step, below: 4_000) {
                try Program.succeed(["rm", "-rf", backup])
                let traced = try backUpKilled(at: number, of: way.calls)
                let ending = try traced.wait()
                guard ending != .exited(0) else { return #expect(number > 1) }
                #expect(ending == .killed(by: SIGKILL), "\(ending) \(traced.errorOutput)")
                let files = (try? FileManager.default.contentsOfDirectory(atPath: backup)) ?? []
                if files.contains("blobs"), !files.contains("larder.sqlite") {
                    let served = try Larder.run("serve", "--data", backup, "--listen", "127.0.0.1:0")
                    #expect(served.errorOutput.contains("larder backup"), "after \(number): \(served.errorOutput)")
                }
                let next = try Larder.run("backup", "--data", Server.defaultData, backup, "--json")
                #expect(
                    next.status == 0 && next.output.hasPrefix("{\"complete\":true,"),
                    "after \(number): \(files) \(next.errorOutput)")
                let examined = try doctor(backup)
                #expect(examined.status == 0 && !examined.output.contains("note:"), "\(examined.output)")
            }
            Issue.record("no backup survived")
        }

        @Test(
            .enabled(if: Probe.canTrace, "strace may not attach here"),
            arguments: [
                (calls: "rename", step: 3), (calls: "fsync,fdatasync,syncfs", step: 1), (calls: "pwrite64", step: 60),
                (calls: "unlink,rmdir", step: 4),
            ])
        func `a backup that is killed at any step leaves a sound one, which the next run completes`(
            _ way: (calls: String, step: Int)
        ) throws {
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(page(1, files: 4), as: "news", "1")
            let base = "\(ScratchDirectory.path)/base"
            try Program.succeed([Larder.path, "backup", "--data", Server.defaultData, base])
            try server.mustPublish(page(2, files: 4), as: "news", "2")
            try server.release("2", of: "news")
            var crashes = 0
            for number in Tracer.crashes(every: way.step, below: 2_000) {
                try Program.succeed(["rm", "-rf", backup])
                try Program.succeed(["cp", "-a", base, backup])
                let traced = try backUpKilled(at: number, of: way.calls)
                let ending = try traced.wait()
                guard ending != .exited(0) else { return #expect(crashes > 0) }
                #expect(ending == .killed(by: SIGKILL), "\(ending) \(traced.errorOutput)")
                crashes += 1
                let left = try doctor(backup)
                #expect(left.status == 0, "after \(number): \(left.output)\(left.errorOutput)")
                let next = try Larder.run("backup", "--data", Server.defaultData, backup, "--json")
                #expect(next.status == 0 && next.output.hasPrefix("{\"complete\":true,"), "\(next.errorOutput)")
                let examined = try doctor(backup)
                #expect(examined.status == 0 && !examined.output.contains("note:"), "\(examined.output)")
            }
            Issue.record("no backup survived")
        }
    }
}

/// The commands of deploy/README.md under "Backup and restore".
private enum BackupPage {
    static func blocks() throws -> [String] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("deploy/README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = text.components(separatedBy: "\n## Backup and restore\n").dropFirst().joined()
            .components(separatedBy: "\n## ")[0]
        return section.components(separatedBy: "\n```sh\n").dropFirst().compactMap { part in
            part.components(separatedBy: "```\n").first
        }
    }

    /// Runs a block with the test's folders instead of the page's; the test starts and stops the services.
    static func run(_ block: String, backup: String, environment: [String: String]) throws -> Program.Outcome {
        let script =
            "set -e\nlarder() { \"\(Larder.path)\" \"$@\"; }\nsystemctl() { :; }\n"
            + block.replacingOccurrences(of: "/var/lib/private/larder", with: Server.defaultData)
            .replacingOccurrences(of: "/backup", with: backup)
            .replacingOccurrences(of: "/lost", with: "\(ScratchDirectory.path)/lost")
        return try Program.run(["sh", "-c", script], environment: environment)
    }
}

/// A load of consecutive rounds of work on a separate thread until it is stopped.
private final class Load: Sendable {
    private struct State {
        var rounds = 0
        var isStopped = false
        var isOver = false
        var failure: String?
    }

    private let state = Mutex(State())

    /// - Parameter round: Does the work of a round; returns `false` to end the load.
    init(_ round: @escaping @Sendable (Int) throws -> Bool) {
        let scratch = ScratchDirectory.path
        Thread { [self] in
            var number = 0
            do {
                while !state.withLock({ $0.isStopped }),
                    try ScratchDirectory.with(path: scratch, { try round(number) })
                {
                    number += 1
                    state.withLock { $0.rounds = number }
                }
            } catch {
                state.withLock { $0.failure = "\(error)" }
            }
            state.withLock { $0.isOver = true }
        }.start()
    }

    func await(rounds: Int) throws {
        try Waiting.until("\(rounds) rounds") { state.withLock { $0.rounds >= rounds || $0.isOver } }
    }

    /// Ends the load and returns its failure.
    func stop() throws -> String? {
        state.withLock { $0.isStopped = true }
        try Waiting.until("the end of the load") { state.withLock { $0.isOver } }
        return state.withLock { $0.failure }
    }
}
