import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests uploads that continue after interruptions of any kind.
    @Suite struct ResumableUploadTests {
        private func sizeOnDisk(_ path: String) -> Int {
            let name = path.split(separator: "/").last ?? ""
            let file = "\(Server.defaultData)/uploads/\(name)"
            return (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        }

        private func zip(_ name: String, bytes: Int) throws -> (folder: String, zip: [UInt8]) {
            let folder = try SamplePackage.folder(name, ["a.js": SamplePackage.noise(bytes, seed: 4)])
            return (folder, try SamplePackage.zip(folder))
        }

        private func finish(_ path: String, _ zip: [UInt8], from offset: Int, at server: Server) throws {
            let last = try server.sendPart(path, at: offset, Array(zip[offset...]))
            #expect(last.status == 204 && last.fields["upload-offset"] == "\(zip.count)", "\(last.text)")
            let response = try server.publish(upload: path, as: "news", "1")
            #expect(response.status == 201, "\(response.text) \(server.log)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(Server.defaultData)/uploads") == [])
        }

        private func expectPublished(_ folder: String, at server: Server) throws {
            try server.release("1", of: "news")
            let device = LarderDevice("device")
            #expect(try device.sync("news", with: server) == "full")
            let descriptors: Set = ["app.config.json", "files.json"]
            let copy = try FolderContents("\(device.folder)/news", skipping: descriptors.contains)
            #expect(try FolderContents(folder).differences(in: copy) == [])
        }

        @Test func `an upload survives a crash in the middle of a part`() throws {
            let server = try Server()
            try server.putPackage("news")
            let (folder, zip) = try zip("page", bytes: 1 << 20)
            let path = try server.makeUpload(zip.count)
            let first = try server.sendPart(path, at: 0, Array(zip[..<300_000]))
            #expect(first.fields["upload-offset"] == "300000")
            let cut = try server.beginPart(path, at: 300_000, Array(zip[300_000..<700_000]), of: 500_000)
            try Waiting.until("some of the part to be there") { sizeOnDisk(path) > 400_000 }
            try server.crash()
            withExtendedLifetime(cut) {}

            let next = try Server()
            let offset = try next.offset(ofUpload: path)
            #expect(offset >= 400_000 && offset <= 700_000 && offset == sizeOnDisk(path))
            try finish(path, zip, from: offset, at: next)
            try expectPublished(folder, at: next)
        }

        @Test func `bytes received before a connection broke are kept, and no other request writes meanwhile`() throws {
            let server = try Server()
            try server.putPackage("news")
            let (folder, zip) = try zip("page", bytes: 1 << 20)
            let path = try server.makeUpload(zip.count)
            do {
                let cut = try server.beginPart(path, at: 0, Array(zip[..<500_000]), of: 600_000)
                try Waiting.until("the part to be there") { sizeOnDisk(path) == 500_000 }
                #expect(try server.offset(ofUpload: path) == 0)
                let second = try server.sendPart(path, at: 0, [1])
                #expect(second.status == 423, "\(second.text)")
                #expect(try server.sendTus("DELETE", path).status == 423)
                cut.breakOff()
            }
            try Waiting.until("the part to end") { try server.offset(ofUpload: path) > 0 }
            #expect(try server.offset(ofUpload: path) == 500_000)
            try finish(path, zip, from: 500_000, at: server)
            try expectPublished(folder, at: server)
        }

        @Test func `larder publish continues when the server comes back`() throws {
            // After the first requests a second passes before each further part, so that the crash comes in between.
            var server = try Server(options: ["--operator-requests-per-second", "1"])
            try server.putPackage("news")
            let folder = try SamplePackage.folder("page", ["a.js": SamplePackage.noise(24 << 20, seed: 4)])
            let (port, token) = (server.port, server.token)
            let publishing = try Program(
                [Larder.path, "publish", folder, "--package", "news", "--version", "1"],
                environment: server.environment)
            let uploads = "\(Server.defaultData)/uploads"
            func arrived() -> Int {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: uploads)) ?? []
                return names.map { sizeOnDisk("/\($0)") }.max() ?? 0
            }
            try Waiting.until("the first parts to be there") { arrived() > 5 << 20 }
            publishing.send(SIGSTOP)
            try server.crash()
            let before = arrived()
            try #require(before > 5 << 20 && before < 24 << 20)
            server = try Server(listen: "127.0.0.1:\(port)", token: token)
            publishing.send(SIGCONT)
            #expect(try publishing.wait(upTo: .seconds(120)) == .exited(0), "\(publishing.errorOutput)")
            #expect(publishing.output.contains("published news 1"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: uploads) == [])
            try expectPublished(folder, at: server)
        }
    }
}
