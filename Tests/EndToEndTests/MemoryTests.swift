import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the memory for an upload of half a gigabyte, and for one with many paths.
    @Suite struct MemoryTests {
        /// The megabytes by which the server's peak may grow.
        private static let allowance = 16

        @Test func `an upload of 500 MB does not grow the server, in parts or as a body`() throws {
            // One after the other, since each writes several files of 500 MB.
            for (files, isInParts) in [(500, true), (1, true), (1, false)] {
                try Self.expectNoGrowth(files: files, isInParts: isInParts)
            }
        }

        private static func expectNoGrowth(files: Int, isInParts: Bool) throws {
            let data = "\(ScratchDirectory.path)/\(files)-\(isInParts)"
            let server = try Server(data: data, options: ["--max-file-bytes", "\(1 << 30)"])
            try server.putPackage("news", "{\"entry\": null}")
            // Excludes allocations that are made once.
            let warm = try zip(files: 4, megabytes: 1)
            try server.mustPublish(warm, as: "news", "0")
            let before = try peak(of: server)
            let zip = try zip(files: files, megabytes: 500 / files)
            if isInParts {
                try server.mustPublish(zip, as: "news", "1")
            } else {
                try Program.succeed([
                    "curl", "-sSf", "-o", "/dev/null", "-H", "Authorization: Bearer \(server.token)", "-H",
                    "Content-Type: application/zip", "-T", zip, "-X", "POST",
                    "\(server.base)/api/v1/apps/default/packages/news/versions?version=1",
                ])
            }
            let after = try peak(of: server)
            let growth = (after - before) >> 20
            #expect(
                growth <= allowance, "\(files) files: \(before >> 20) MB before, \(after >> 20) MB after")
            try server.stop()
            try FileManager.default.removeItem(atPath: zip)
            try FileManager.default.removeItem(atPath: data)
        }

        /// The megabytes by which the peak may grow for 5,000 paths of 900 bytes without common folders: 4.5 MB, of
        /// which every part is kept once instead of every folder with its whole path.
        private static let pathAllowance = 80

        @Test(arguments: [(32, "On devices that ignore case"), (470, "more than 32 parts")])
        func `long paths that collide do not grow the server beyond proportion`(
            _ depth: Int, _ reason: String
        ) throws {
            let server = try Server()
            try server.putPackage("news", "{\"entry\": null}")
            #expect(try server.publish(try Self.zip(paths: 2, depth: 2), as: "news", "1").status == 2)
            let before = try Self.peak(of: server)
            let outcome = try server.publish(try Self.zip(paths: 5000, depth: depth), as: "news", "1")
            #expect(outcome.status == 2)
            #expect(outcome.errorOutput.contains(reason))
            let after = try Self.peak(of: server)
            let growth = (after - before) >> 20
            #expect(growth <= Self.pathAllowance, "\(before >> 20) MB before, \(after >> 20) MB after")
        }

        /// Creates a zip of empty files in separate folders, the first and the last of which collide.
        private static func zip(paths: Int, depth: Int) throws -> String {
            let path = "\(ScratchDirectory.path)/\(paths)-\(depth).zip"
            try Program.succeed([
                "python3", "-c",
                """
                import sys, zipfile
                path, paths, depth = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
                with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
                    below = "/".join(["x" * max(1, 900 // depth - 1)] * (depth - 1))
                    for top in ["ZZ"] + [f"{number:05}" for number in range(2, paths)] + ["zz"]:
                        archive.writestr(f"{top}/{below}", b"")
                """, path, "\(paths)", "\(depth)",
            ])
            return path
        }

        /// Creates a zip of stored random bytes with another program.
        private static func zip(files: Int, megabytes: Int) throws -> String {
            let path = "\(ScratchDirectory.path)/\(files)-\(megabytes).zip"
            try Program.succeed([
                "python3", "-c",
                """
                import os, sys, zipfile
                path, files, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
                with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
                    for file in range(files):
                        with archive.open(f"{file}.bin", "w") as entry:
                            for _ in range(megabytes):
                                entry.write(os.urandom(1 << 20))
                """, path, "\(files)", "\(megabytes)",
            ])
            return path
        }

        /// Returns the peak memory in bytes.
        private static func peak(of server: Server) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(server.program.pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kilobytes = line.split { !$0.isNumber }.first.flatMap { Int($0) }
            return try #require(kilobytes) << 10
        }
    }
}
