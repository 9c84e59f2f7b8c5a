import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests patches that are built in the background when the server dies or the disk is full.
    @Suite struct PatchCrashTests {
        /// Creates a page most of which stays the same, so that patches are small.
        private func page(_ number: Int) throws -> String {
            try SamplePackage.folder(
                "page-\(number)",
                [
                    "same.js": SamplePackage.noise(30_000, seed: 8),
                    "new.js": SamplePackage.noise(1_000, seed: UInt64(100 + number)),
                ])
        }

        /// Returns the patch for a device with the first version, which no release has built.
        private func patch(from version: String, _ server: Server) throws -> ConfigEntry.Patch? {
            let response = try server.get("/config?have=news@\(version)")
            try #require(response.status == 200, "\(response.text)")
            let entries: [String: ConfigEntry] = try response.json()
            return entries["news"]?.patch("delta", from: version)
        }

        /// Creates a device with the first version, and so many later ones that no release builds its patch.
        private func start(_ server: Server) throws -> LarderDevice {
            try server.putPackage("news")
            try server.mustPublish(page(0), as: "news", "0")
            try server.release("0", of: "news")
            let device = LarderDevice("device")
            #expect(try device.sync("news", with: server) == "full")
            for number in 1001...1003 {
                try server.mustPublish(page(number), as: "news", "\(number)")
                try server.release("\(number)", of: "news")
            }
            return device
        }

        @Test(
            .enabled(if: Probe.canTrace, "strace may not attach here"),
            arguments: [
                (calls: "rename,unlink", step: 1), (calls: "fsync,fdatasync,sync_file_range,syncfs", step: 2),
                (calls: "pwrite64", step: 9),
            ])
        func `a crash while patches are made in the background leaves sound data, and they are made again`(
            _ way: (calls: String, step: Int)
        ) throws {
            var server = try Server()
            let first = try start(server)
            var crashes = 0
            for number in Tracer.crashes(every: way.step, below: 400) {
                let page = try page(number)
                try server.mustPublish(page, as: "news", "\(number)")
                try server.release("\(number)", of: "news")
                let tracer = try Tracer.crash(server, at: way.calls, number: number)
                let survived: Bool
                do {
                    try Waiting.until("the patch, or the crash") { try patch(from: "0", server) != nil }
                    survived = server.program.poll() == nil
                } catch {
                    survived = false
                }
                guard !survived else { return #expect(crashes > 0) }
                #expect(try server.program.wait() == .killed(by: SIGKILL))
                _ = try tracer.wait()
                crashes += 1

                try expectSound()
                server = try Server()
                try Waiting.until("the patch") { try patch(from: "0", server) != nil }
                // A separate device for each round, because the first one stays unchanged.
                let device = LarderDevice("\(number)")
                try FileManager.default.copyItem(atPath: first.folder, toPath: device.folder)
                #expect(try device.sync("news", with: server) == "delta")
                let descriptors: Set = ["app.config.json", "files.json"]
                let copy = try FolderContents("\(device.folder)/news", skipping: descriptors.contains)
                #expect(try FolderContents(page).differences(in: copy) == [])
            }
            Issue.record("no round survived")
        }

        private func expectSound() throws {
            let examined = try Larder.run("doctor", "--data", Server.defaultData)
            #expect(examined.status == 0, "\(examined.output)\(examined.errorOutput)")
        }

        /// Returns the number of patches that the server failed to build.
        private static func failedPatches(_ server: Server) -> Int {
            server.log.split(separator: "\n").count { $0.contains("event=patch.failed ") }
        }

        @Test(.enabled(if: Probe.canMount, "only root can mount a small disk"))
        func `a release on a full disk says so, and a device gets the whole package`() throws {
            let server = try Server.onSmallDisk()
            let device = try start(server)
            try server.mustPublish(page(1), as: "news", "1")
            try server.release("1", of: "news")
            try server.mustPublish(page(2), as: "news", "2")
            try server.fillDisk()
            server.expectFull(
                try server.call("POST", "/apps/default/packages/news/releases", "{\"version\": \"2\"}"))
            // Background work may have removed its files since.
            try server.fillDisk()
            // The first request causes the build of the patch, which cannot exist yet.
            let failures = Self.failedPatches(server)
            _ = try patch(from: "0", server)
            try Waiting.until("the failure to make the patch, or the patch") {
                try Self.failedPatches(server) > failures || patch(from: "0", server) != nil
            } more: {
                server.log
            }
            #expect(try patch(from: "0", server) == nil)
            #expect(try server.config()["news"]?.version == "1")

            try server.emptyDisk()
            try server.release("2", of: "news")
            try Waiting.until("the patch") { try patch(from: "0", server) != nil }
            #expect(try device.sync("news", with: server) == "delta")
        }
    }
}
