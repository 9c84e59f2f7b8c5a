import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests concurrent processes and clients.
    @Suite struct CompetitionTests {
        @Test func `a data directory has one owner, and a second one gets the process id of the first`() throws {
            let server = try Server()
            let second = try Larder.run("serve", "--listen", "127.0.0.1:0", "--data", Server.defaultData)
            #expect(second.status == 1)
            #expect(second.errorOutput.contains("in use by process \(server.program.pid),"))
            #expect(try server.get("/healthz").status == 200)
            try server.crash()
            #expect(try Server().get("/healthz").status == 200)
        }

        @Test func `a folder of packages has one sync at a time`() throws {
            let server = try Server()
            let folder = "\(ScratchDirectory.path)/device"
            let watching = try Program([Larder.path, "sync", server.base, folder, "--watch", "--json"])
            try Waiting.until("the first pass") { !watching.output.isEmpty }
            let second = try Larder.run("sync", server.base, folder)
            #expect(second.status == 1)
            #expect(second.errorOutput.contains("process \(watching.pid),"))
            watching.send(SIGKILL)
            _ = try watching.wait()
            #expect(try Larder.run("sync", server.base, folder).status == 0)
        }

        @Test func `one content uploaded twice at once is published once, and both uploads succeed`() throws {
            let server = try Server()
            try server.putPackage("news")
            for round in 1...5 {
                let zip = try SamplePackage.zip(try SamplePackage.folder("page-\(round)"))
                let responses = try race([zip, zip], version: "\(round)", server)
                #expect(responses.map(\.status).sorted() == [200, 201], "\(responses.map(\.text))")
            }
            #expect(Set(try server.versions(of: "news")) == ["1", "2", "3", "4", "5"])
        }

        @Test func `one of two contents uploaded at once under one version is refused`() throws {
            let server = try Server()
            try server.putPackage("news")
            for round in 1...5 {
                let zips = try ["one", "other"].map {
                    try SamplePackage.zip(try SamplePackage.folder("\($0)-\(round)"))
                }
                let responses = try race(zips, version: "\(round)", server)
                #expect(responses.map(\.status).sorted() == [201, 409], "\(responses.map(\.text))")
                #expect(responses.contains { $0.text.contains("version-exists") })
            }
            try server.release("5", of: "news")
            #expect(try LarderDevice("device").sync("news", with: server) == "full")
            let known = try Blobs.known(in: Server.defaultData)
            #expect(known.isSubset(of: try Blobs.stored(in: Server.defaultData)))
        }

        @Test func `two commands that publish the same folder at once both succeed`() throws {
            let server = try Server()
            try server.putPackage("news")
            let page = try SamplePackage.folder("page", ["big.bin": SamplePackage.noise(4 << 20, seed: 3)])
            let programs = try (1...2).map { _ in
                try Program(
                    [Larder.path, "publish", page, "--package", "news", "--version", "1"],
                    environment: server.environment)
            }
            for program in programs { #expect(try program.wait() == .exited(0), "\(program.errorOutput)") }
            #expect(try server.versions(of: "news") == ["1"])
        }

        /// Uploads all but the last byte of each zip, then the last bytes.
        private func race(_ zips: [[UInt8]], version: String, _ server: Server) throws -> [RawClient.Response] {
            let uploads = try zips.map { zip in
                let upload = try Upload(zip, as: "news", version, to: server)
                try upload.send(upTo: zip.count - 1)
                return upload
            }
            for (upload, zip) in zip(uploads, zips) { try upload.send(upTo: zip.count) }
            return try uploads.map { try $0.response() }
        }
    }
}
