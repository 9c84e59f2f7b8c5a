import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Compares the help of each command and the output of each verb with the files in Tests/Fixtures/commands.
    ///
    /// `LARDER_GOLDEN=write` writes the files instead; read the difference before you commit it.
    @Suite struct GoldenTests {
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/commands")
        private static let writes = ProcessInfo.processInfo.environment["LARDER_GOLDEN"] == "write"

        private func compare(_ text: String, with name: String) throws {
            let file = Self.folder.appending(path: name)
            if Self.writes {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
            let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            #expect(
                text == expected,
                "\(name) differs from the output; if that is right, run this test with LARDER_GOLDEN=write")
        }

        @Test func `the help of every command and verb is as in its file`() throws {
            let overview = try Larder.run("--help").output
            try compare(overview, with: "help/overview.txt")
            let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            try #require(commands.count > 30)
            for command in commands {
                let help = try Larder.run("help", command).output
                let verbs = help.components(separatedBy: "\n\n")[0].split(separator: "\n").compactMap { line in
                    line.split(separator: " ").drop { $0 != "larder" }.dropFirst(2).first.map(String.init)
                }.filter { $0.allSatisfy { $0.isLowercase || $0 == "-" } && !$0.hasPrefix("-") }
                let parts = try verbs.map { verb in
                    let own = try Larder.run("help", command, verb).output
                    return "\n$ larder help \(command) \(verb)\n\(own)"
                }
                try compare("$ larder help \(command)\n\(help)" + parts.joined(), with: "help/\(command).txt")
            }
        }

        /// Replaces what differs from run to run: times, digests, keys, secrets, ports and folders.
        private func stable(_ text: String, _ server: Server) -> String {
            text.replacing(#/\n  no patch from [^\n]*/#, with: "")
                .replacing(#/"noPatchFrom":\[[^\]]*\]/#, with: "\"noPatchFrom\":[]")
                .replacing(#/"patchesReady":(true|false)/#, with: "\"patchesReady\":true")
                .replacing(#/device's is \d+/#, with: "device's is PLACE").replacing(#/(bucket +)\d+/#) {
                    "\($0.output.1)BUCKET"
                }
                .replacing(#/blobs: \d+/#, with: "blobs: N").replacing(#/(signatures?  +)[^\n]+/#) {
                    "\($0.output.1)SIGNATURE"
                }
                .replacing(#/(rank  +)\d+/#) { "\($0.output.1)RANK" }
                .replacing(server.base, with: "http://SERVER").replacing(ScratchDirectory.path, with: "FOLDER")
                .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#) { match in
                    match.output.0.hasPrefix("2999") ? String(match.output.0) : "TIME"
                }
                .replacing(#/(larder|whsec)_[A-Za-z0-9+\/=]+/#) { "\($0.output.1)_SECRET" }
                .replacing(#/\b[0-9a-f]{64}\b/#, with: "DIGEST").replacing(#/\b[0-9a-f]{32}\b/#, with: "RECEIPT")
                .replacing(#/\b[0-9a-f]{16}\b/#, with: "KEY").replacing(#/"rank":\d+/#, with: "\"rank\":RANK")
                .replacing(#/"publicKey":"[^"]+"/#, with: "\"publicKey\":\"PUBLIC\"")
                .replacing(#/"(value|signature)":"[^"]+"/#) { "\"\($0.output.1)\":\"SIGNATURE\"" }
                .replacing(#/"archiveBytes":\d+/#, with: "\"archiveBytes\":BYTES")
                .replacing(#/\b\d+(\.\d+)? (B|KB)\b/#, with: "SIZE").replacing(
                    #/archiveBytes  +\d+/#, with: "archiveBytes  BYTES")
        }

        @Test func `the output, the errors and the JSON of each verb are as in the file of the session`() throws {
            let server = try Server()
            let lines = try String(contentsOf: Self.folder.appending(path: "session-lines.txt"), encoding: .utf8)
            _ = try SamplePackage.folder("page")
            var transcript = ""
            for line in lines.split(separator: "\n") where !line.hasPrefix("#") {
                let words = line.split(separator: " ").map { word in
                    String(word).replacing("FOLDER", with: ScratchDirectory.path).replacing("_", with: " ")
                }
                let outcome = try Program.run([Larder.path] + words, environment: server.environment)
                let status = outcome.status == 0 ? "" : "(exit status \(outcome.status))\n"
                transcript += "$ larder \(line)\n\(outcome.output)\(outcome.errorOutput)\(status)\n"
            }
            try compare(stable(transcript, server), with: "session.txt")
        }
    }
}
