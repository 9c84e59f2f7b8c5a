import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests clients of seeds 002 and 003, with other programs in their place.
    @Suite struct DialectTests {
        private struct Newest: Decodable {
            let version: String
            let path: String
        }

        private struct Info: Decodable {
            let packageName: String
            let fileList: [String]
        }

        private func start(_ options: [String] = []) throws -> Server {
            let server = try Server(options: options)
            try server.putPackage("app", #"{"dialects": ["newest-package", "info-json"]}"#)
            for version in ["1.0", "2.0"] {
                let files = [
                    "index.html": Data("<p>\(version)".utf8), "js/app.js": Data("'\(version)'".utf8),
                    "img/noise.png": SamplePackage.noise(200_000, seed: version == "1.0" ? 1 : 2),
                ]
                try server.mustPublish(try SamplePackage.folder(version, files), as: "app", version)
            }
            return server
        }

        private func newest(_ server: Server) throws -> Newest {
            let response = try Program.succeed([
                "curl", "-sS", "--fail", "-H", "Content-Type: application/json", "-d", #"{"packageId":"app"}"#,
                "\(server.base)/getNewestPackage",
            ])
            return try JSONDecoder().decode(Newest.self, from: Data(response.utf8))
        }

        private func info(_ server: Server) throws -> Info {
            let response = try Program.succeed(["curl", "-sS", "--fail", "\(server.base)/packages/app/info.json"])
            return try JSONDecoder().decode(Info.self, from: Data(response.utf8))
        }

        /// Downloads and unpacks a zip unless a file of its name exists, like these clients; returns whether it did.
        private func install(_ url: String, as name: String, in folder: String) throws -> Bool {
            let zip = "\(folder)/\(name)"
            guard !FileManager.default.fileExists(atPath: zip) else { return false }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Program.succeed(["curl", "-sS", "--fail", "-o", zip, url])
            try? FileManager.default.removeItem(atPath: "\(folder)/unpacked")
            try Program.succeed(["unzip", "-q", zip, "-d", "\(folder)/unpacked"])
            return true
        }

        private func page(_ folder: String) throws -> String {
            try String(contentsOfFile: "\(folder)/unpacked/index.html", encoding: .utf8)
        }

        @Test func `a device of seed 002 follows each release, and goes back`() throws {
            let server = try start(["--newest-package-at", "app"])
            let folder = "\(ScratchDirectory.path)/device-002"
            #expect(try server.get("/@").status == 404)
            for version in ["1.0", "2.0", "1.0"] {
                try server.release(version, of: "app")
                let offer = try newest(server)
                let name = String(offer.path.split(separator: "/").last ?? "")
                #expect(offer.version == version && name.hasPrefix("app-\(version)-r"))
                #expect(try install(offer.path, as: name, in: folder))
                #expect(try page(folder) == "<p>\(version)")
                try Program.succeed([
                    "cmp", "\(folder)/unpacked/js/app.js", "\(ScratchDirectory.path)/\(version)/js/app.js",
                ])
                #expect(try !install(offer.path, as: name, in: folder), "nothing new")
                // The request of the published client.
                let bare = "\(ScratchDirectory.path)/bare.zip"
                try Program.succeed(["curl", "-sS", "--fail", "-o", bare, "\(server.base)/@"])
                try Program.succeed(["cmp", bare, "\(folder)/\(name)"])
            }
        }

        @Test func `a device of seed 003 follows each release, and goes back`() throws {
            let server = try start()
            let folder = "\(ScratchDirectory.path)/device-003"
            #expect(try server.get("/packages/app/info.json").status == 404)
            var names: [String] = []
            for version in ["1.0", "2.0", "1.0"] {
                try server.release(version, of: "app")
                let offer = try info(server)
                names.append(offer.packageName)
                #expect(offer.fileList == ["app.js", "index.html", "noise.png"])
                let base = "\(server.base)/packages/app/"
                #expect(try install(base + offer.packageName, as: offer.packageName, in: folder))
                #expect(try page(folder) == "<p>\(version)")
                let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/unpacked").sorted()
                #expect(files == offer.fileList)
                #expect(try Program.succeed(["curl", "-sS", "--fail", base + "index.html"]) == "<p>\(version)")
                let copy = "\(ScratchDirectory.path)/noise.png"
                try Program.succeed(["curl", "-sS", "--fail", "-o", copy, base + "noise.png"])
                try Program.succeed(["cmp", copy, "\(folder)/unpacked/noise.png"])
            }
            #expect(Set(names).count == 3)
            // A client that got the name earlier comes late, also after a restart.
            try server.stop()
            let again = try Server(token: server.token)
            for name in names { #expect(try again.get("/packages/app/\(name)").status == 200) }
        }

        @Test func `H4: a zip that cannot be sent to its end is broken off, and no page replaces it`() throws {
            let server = try Server()
            try server.putPackage("app", #"{"dialects": ["info-json"]}"#)
            let files = ["noise.bin": SamplePackage.noise(40_000_000, seed: 3)]
            try server.mustPublish(try SamplePackage.folder("large", files), as: "app", "1.0")
            try server.release("1.0", of: "app")
            let name = try info(server).packageName
            let (zip, url) = ("\(ScratchDirectory.path)/broken.zip", "\(server.base)/packages/app/\(name)")
            let digest = try #require(
                try Program.succeed(["curl", "-sSI", "-o", "/dev/null", "-w", "%header{etag}", url])
                    .split(separator: "\"").first)
            let blob = try #require(
                try FolderContents("\(Server.defaultData)/blobs").files.first { $0.hasSuffix(digest) })

            // As with a failing disk: the bytes read ahead are sent, and then no more.
            let download = try Program(["curl", "-sS", "--limit-rate", "8M", "-o", zip, url])
            try Waiting.until("the download's beginning") {
                try FileManager.default.fileExists(atPath: zip) && !Data(contentsOf: URL(fileURLWithPath: zip)).isEmpty
            }
            #expect(truncate("\(Server.defaultData)/blobs/\(blob)", 1000) == 0)
            let ending = try download.wait()
            // A partial file or a reset connection, but never a complete response.
            #expect([.exited(18), .exited(56)].contains(ending), "\(ending) \(download.errorOutput)")
        }
    }
}
