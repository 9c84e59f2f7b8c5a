import Execution
import Foundation
import Glibc
import TestKit
import Testing

@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct ProgramRunTests {
    private func run(
        _ command: String..., environment: [String: String] = [:], timeLimit: Duration = .seconds(60), limit: Int = 256,
        input: [UInt8] = []
    ) throws(ProgramRun.Failure) -> String {
        let run = ProgramRun(
            command: command, environment: environment, timeLimit: timeLimit, outputLimit: limit)
        return String(decoding: try run.output(for: input), as: UTF8.self)
    }

    @Test func `a program is given bytes and gives bytes`() throws {
        #expect(try run("/bin/cat", limit: 4096, input: Array(repeating: 65, count: 4096)).count == 4096)
        #expect(try run("/bin/echo", "a b", "c") == "a b c\n")
        #expect(try run("/bin/true", input: [1, 2, 3]) == "")
    }

    @Test func `a program has the given environment, three descriptors and its own process group`() throws {
        setenv("LARDER_PROBE", "secret", 1)
        // A descriptor that is inherited by every program that does not close it.
        let leaking = open("/dev/null", O_RDONLY)
        defer { close(leaking) }
        #expect(leaking > 2)
        #expect(try run("/usr/bin/env", environment: ["A": "1"]) == "A=1\n")
        let others = "i=3; while [ $i -lt 1024 ]; do [ ! -e /proc/$$/fd/$i ] || echo $i; i=$((i+1)); done"
        #expect(try run("/bin/sh", "-c", others) == "")
        let groups = try run("/bin/sh", "-c", "cut -d' ' -f1,5 /proc/$$/stat").split(separator: "\n")[0].split(
            separator: " ")
        #expect(groups.count == 2 && groups[0] == groups[1])
    }

    @Test func `a program that fails, or cannot be started, has a reason`() {
        #expect(throws: ProgramRun.Failure.exited(3)) { try run("/bin/sh", "-c", "echo x; exit 3") }
        #expect(throws: ProgramRun.Failure.killed(by: SIGTERM)) { try run("/bin/sh", "-c", "kill $$") }
        let missing = #expect(throws: ProgramRun.Failure.self) { try run("/nowhere/program") }
        guard case .cannotStart = missing else {
            Issue.record("\(String(describing: missing))")
            return
        }
    }

    @Test func `the output of a program is limited`() throws {
        #expect(try run("/bin/echo", String(repeating: "a", count: 9), limit: 10).count == 10)
        #expect(throws: ProgramRun.Failure.wroteTooMuch) {
            try run("/bin/echo", String(repeating: "a", count: 10), limit: 10)
        }
        #expect(throws: ProgramRun.Failure.wroteTooMuch) { try run("/usr/bin/yes") }
    }

    @Test(arguments: [
        // The program waits; it waits with its output closed; a program that it started waits.
        "echo $$ > $0; exec sleep 600", "echo $$ > $0; exec sleep 600 >&-", "sleep 600 & echo $! > $0; exit 0",
        // The program has left its group.
        "echo $$ > $0; exec perl -e 'setpgrp(0, getpgrp(getppid())); sleep 600'",
    ])
    func `a program that takes too long is killed with the processes that it started`(script: String) throws {
        let file = "\(ScratchDirectory.path)/pid"
        #expect(throws: ProgramRun.Failure.tookTooLong) {
            try run(
                "/bin/sh", "-c", script, file, environment: ["PATH": "/usr/bin:/bin"], timeLimit: .milliseconds(500))
        }
        try waitForEnd(in: file)
    }

    @Test(arguments: ["exit 3", "kill -9 $$"])
    func `the processes started by a program that fails are killed as well`(end: String) throws {
        let file = "\(ScratchDirectory.path)/pid"
        #expect(throws: ProgramRun.Failure.self) {
            try run(
                "/bin/sh", "-c", "sleep 600 >&- & echo $! > $0; \(end)", file, environment: ["PATH": "/usr/bin:/bin"])
        }
        try waitForEnd(in: file)
    }

    @Test func `an unknown exit status of a child is a failure without a wait`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            let run = ProgramRun(
                command: ["/bin/true"], environment: [:], timeLimit: .seconds(5), outputLimit: 256)
            #expect(throws: ProgramRun.Failure.lost("No child processes")) { try run.output(for: []) }
        }
    }

    /// Waits until the process whose id is in a file has ended.
    private func waitForEnd(in file: String) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let pid = try #require(pid_t(text))
        // It was killed; if it is not a child of this process, init reaps it.
        while kill(pid, 0) == 0 {
            let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            if status.isEmpty || status.contains(") Z ") { break }
            usleep(1000)
        }
    }
}
