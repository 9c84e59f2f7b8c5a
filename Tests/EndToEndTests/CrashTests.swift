import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests that a crash leaves either a whole version or nothing.
    @Suite struct CrashTests {
        @Test func `a crash in the middle of an upload leaves no data`() throws {
            let server = try Server()
            try server.putPackage("news")
            let page = try SamplePackage.folder("page", ["a.js": SamplePackage.noise(1 << 20, seed: 4)])
            let zip = try SamplePackage.zip(page)
            let upload = try Upload(zip, as: "news", "1", to: server)
            try upload.send(upTo: zip.count / 2)
            try Waiting.until("the upload to have begun") { try !Blobs.staged(in: Server.defaultData).isEmpty }
            try server.crash()

            let next = try Server()
            #expect(try next.versions(of: "news") == [])
            #expect(try Blobs.staged(in: Server.defaultData) == [])
            #expect(try Blobs.stored(in: Server.defaultData) == [])
            try next.mustPublish(page, as: "news", "1")
            try next.release("1", of: "news")
            #expect(try LarderDevice("device").sync("news", with: next) == "full")
        }

        /// The system calls that write a version, and its number of files.
        struct Way: CustomTestStringConvertible {
            let calls: String
            let files: Int
            /// The number of calls between two crashes.
            let step: Int

            var testDescription: String { "\(calls) with \(files) files" }
        }

        @Test(
            .enabled(if: Probe.canTrace, "strace may not attach here"),
            arguments: [
                Way(calls: "rename", files: 5, step: 1),
                // A few files are synced individually, many of them together.
                Way(calls: "fsync,fdatasync,sync_file_range", files: 1, step: 1),
                Way(calls: "syncfs,fdatasync", files: 20, step: 1),
                Way(calls: "write", files: 2, step: 3),
                // The metadata: pages of SQLite's log.
                Way(calls: "pwrite64", files: 2, step: 5),
            ])
        func `a crash at any step of publishing leaves no data, or a whole version`(_ way: Way) throws {
            var server = try Server()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("first"), as: "news", "0")
            var crashes = 0
            for number in Tracer.crashes(every: way.step, below: 500) {
                let folder = try Self.folder(number, files: way.files)
                let tracer = try Tracer.crash(server, at: way.calls, number: number)
                let outcome = try server.publish(folder, as: "news", "\(number)")
                guard outcome.status != 0 else { return #expect(crashes > 0) }
                #expect(outcome.status == 1, "\(outcome.errorOutput)")
                #expect(try server.program.wait() == .killed(by: SIGKILL))
                _ = try tracer.wait()
                crashes += 1

                try Self.expectSound()
                server = try Server()
                try Self.expectNothingLeft()
                let versions = try server.versions(of: "news")
                #expect(versions.contains("0"))
                let again = try server.publish(folder, as: "news", "\(number)")
                #expect(again.status == 0, "\(again.errorOutput)")
                #expect(again.output.contains("already") == versions.contains("\(number)"))
                try server.release("\(number)", of: "news")
                let device = LarderDevice("\(number)")
                #expect(try device.sync("news", with: server) == "full")
                let descriptors: Set = ["app.config.json", "files.json"]
                let copy = try FolderContents("\(device.folder)/news", skipping: descriptors.contains)
                #expect(try FolderContents(folder).differences(in: copy) == [])
            }
            Issue.record("no publishing survived")
        }

        @Test(
            .enabled(if: Probe.canTrace, "strace may not attach here"),
            arguments: [
                Way(calls: "rename,unlink", files: 3, step: 1),
                Way(calls: "fsync,fdatasync,sync_file_range", files: 3, step: 1),
                Way(calls: "pwrite64", files: 3, step: 8),
            ])
        func `a crash at any step of releasing leaves the version before, or the new one with its patches`(
            _ way: Way
        ) throws {
            var server = try Server()
            try server.putPackage("news")
            let same = SamplePackage.noise(20_000, seed: 8)
            try server.mustPublish(try SamplePackage.folder("page-0", ["same.js": same]), as: "news", "0")
            try server.release("0", of: "news")
            let device = LarderDevice("device")
            #expect(try device.sync("news", with: server) == "full")
            var before = "0"
            for number in Tracer.crashes(every: way.step, below: 500) {
                let version = "\(number)"
                let folder = try SamplePackage.folder("page-\(number)", ["same.js": same])
                try server.mustPublish(folder, as: "news", version)
                let tracer = try Tracer.crash(server, at: way.calls, number: number)
                let path = "/apps/default/packages/news/releases"
                let response = try? server.call("POST", path, "{\"version\": \"\(version)\"}")
                guard response == nil else { return #expect(response?.status == 201 && before != "0") }
                #expect(try server.program.wait() == .killed(by: SIGKILL))
                _ = try tracer.wait()

                try Self.expectSound()
                server = try Server()
                try Self.expectNothingLeft()
                let offered = try #require(try server.config()["news"]?.version)
                #expect([before, version].contains(offered))
                if offered != version { try server.release(version, of: "news") }
                #expect(try device.sync("news", with: server) == "delta")
                #expect(
                    try String(contentsOfFile: "\(device.folder)/news/index.html", encoding: .utf8).contains(version))
                before = version
            }
            Issue.record("no release survived")
        }

        private static func expectSound() throws {
            let examined = try Larder.run("doctor", "--data", Server.defaultData)
            #expect(examined.status == 0, "\(examined.output)\(examined.errorOutput)")
        }

        /// Checks that no staged file and no unreferenced blob is left, once the server has built smaller patches.
        private static func expectNothingLeft() throws {
            try Waiting.until("nothing to be left over") {
                try Blobs.staged(in: Server.defaultData).isEmpty
                    && Blobs.stored(in: Server.defaultData) == Blobs.known(in: Server.defaultData)
            }
        }

        private static func folder(_ number: Int, files: Int) throws -> String {
            let contents = (1...files).map { file in
                ("\(file).js", SamplePackage.noise(2_000, seed: UInt64(number * 100 + file)))
            }
            return try SamplePackage.folder("page-\(number)", Dictionary(uniqueKeysWithValues: contents))
        }
    }
}
