import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests a private disk of a few megabytes for the server's data.
    @Suite(.enabled(if: Probe.canMount, "only root can mount a small disk"))
    struct FullDiskTests {
        @Test func `an upload in parts keeps the bytes that fit, and continues once there is space`() throws {
            let server = try Server.onSmallDisk()
            try server.putPackage("news")
            let page = try SamplePackage.folder("page", ["a.js": SamplePackage.noise(12 << 20, seed: 8)])
            let zip = try SamplePackage.zip(page)
            let upload = try server.makeUpload(zip.count)
            server.expectFull(try server.sendPart(upload, at: 0, zip))
            let offset = try server.offset(ofUpload: upload)
            #expect(offset > 4 << 20 && offset < 10 << 20)
            server.expectFull(try server.sendPart(upload, at: offset, Array(zip[offset...])))

            try server.besides("mount", "-o", "remount,size=100m", Server.defaultData)
            let kept = try server.offset(ofUpload: upload)
            #expect(kept >= offset)
            #expect(try server.sendPart(upload, at: kept, Array(zip[kept...])).status == 204)
            #expect(try server.publish(upload: upload, as: "news", "1").status == 201)
        }

        @Test func `a version that does not fit is refused without damage, and fits once there is space`() throws {
            let server = try Server.onSmallDisk()
            try server.putPackage("news")
            let small = try SamplePackage.folder("small", ["a.js": SamplePackage.noise(500_000, seed: 5)])
            try server.mustPublish(small, as: "news", "1")
            try server.release("1", of: "news")
            let before = try #require(try server.config()["news"])

            // The zip fits, but its files or its archive do not; then not even the zip fits.
            for size in [3 << 20, 12 << 20] {
                let large = try SamplePackage.folder("large-\(size)", ["a.js": SamplePackage.noise(size, seed: 6)])
                let zip = try SamplePackage.zip(large)
                let upload = try Upload(zip, as: "news", "2", to: server)
                try upload.send(upTo: zip.count)
                server.expectFull(try upload.response())
                let outcome = try server.publish(large, as: "news", "2")
                #expect(outcome.status == 1)
                #expect(outcome.errorOutput.contains("disk is full"))
            }

            #expect(try server.get("/healthz").status == 200)
            #expect(try server.versions(of: "news") == ["1"])
            #expect(try server.config()["news"]?.sha256 == before.sha256)
            let device = LarderDevice("device")
            #expect(try device.sync("news", with: server) == "full")
            // The rejected upload takes no room.
            let other = try SamplePackage.folder("other", ["a.js": SamplePackage.noise(500_000, seed: 7)])
            try server.mustPublish(other, as: "news", "3")

            try server.besides("mount", "-o", "remount,size=100m", Server.defaultData)
            try server.mustPublish("\(ScratchDirectory.path)/large-\(12 << 20)", as: "news", "2")
            try server.release("2", of: "news")
            // Every file differs, so a patch would save nothing.
            #expect(try device.sync("news", with: server) == "full")
            #expect(try server.stop() == .exited(0))
        }

        @Test func `with no space for metadata changes are refused and reading continues`() throws {
            let server = try Server.onSmallDisk()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news")
            try server.fillDisk()

            server.expectFull(try server.call("PUT", "/apps/default/packages/other"))
            server.expectFull(
                try server.call("POST", "/apps/default/packages/news/releases", "{\"version\": \"1\", \"again\": true}")
            )
            #expect(try server.config()["news"]?.version == "1")
            #expect(try server.call("GET", "/apps/default/packages").status == 200)
            #expect(try server.call("GET", "/apps/default/packages/other").status == 404)

            try server.emptyDisk()
            try server.putPackage("other")
            try server.mustPublish(try SamplePackage.folder("second"), as: "other", "1")
            #expect(try server.get("/readyz").status == 200)
        }

        @Test func `with no space for metadata pruning removes no named file, and continues once there is space`()
            throws
        {
            let clock = try MovedClock()
            let server = try Server.onSmallDisk(
                options: ["--prune", "off", "--keep-versions", "1", "--grace-hours", "24"],
                environment: clock.environment)
            try server.putPackage("news")
            for number in 1...3 {
                let noise = SamplePackage.noise(100_000, seed: UInt64(number))
                let page = try SamplePackage.folder("page-\(number)", ["a.js": noise])
                try server.mustPublish(page, as: "news", "\(number)")
            }
            try server.release("3", of: "news")
            func prune() throws -> Program.Outcome {
                try Program.run([Larder.path, "prune"], environment: server.environment)
            }
            #expect(try LarderDevice("first").sync("news", with: server) == "full")
            #expect(try prune().status == 0)
            try clock.move(by: 2 * 86_400)
            try server.fillDisk()
            let full = try prune()
            #expect(full.status != 0, "\(full)")
            #expect(try server.versions(of: "news") == ["1", "2", "3"])
            // The key document is two days old, and cannot be renewed.
            #expect(try LarderDevice("device").sync("news", with: server) == "full")

            try server.emptyDisk()
            #expect(try prune().status == 0)
            #expect(try server.versions(of: "news") == ["3"])
            #expect(try LarderDevice("other").sync("news", with: server) == "full")
            #expect(try server.stop() == .exited(0))
        }
    }
}
