import Dispatch
import Foundation
import Synchronization
import TestKit
import Testing

extension EndToEnd {
    /// Tests a server whose blobs are in a bucket.
    @Suite struct BucketTests {
        private static let location = "s3://\(S3Server.bucket)/live"
        private static let environment = [
            "AWS_ACCESS_KEY_ID": S3Server.accessKey, "AWS_SECRET_ACCESS_KEY": S3Server.secretKey,
        ]
        private var cache: String { "\(Server.defaultData)/cache" }

        private func options(_ bucket: S3Server, _ location: String = location) -> [String] {
            options(at: bucket.endpoint, location)
        }

        private func options(at endpoint: String, _ location: String = location) -> [String] {
            ["--blobs", location, "--s3-endpoint", endpoint, "--s3-path-style", "on"]
        }

        private func serve(_ bucket: S3Server, token: String? = nil) throws -> Server {
            try Server(token: token, options: options(bucket), environment: Self.environment)
        }

        /// Runs `larder serve`, which has to fail at its start.
        private func failingStart(
            _ options: [String], data: String = "\(ScratchDirectory.path)/other",
            environment: [String: String] = Self.environment
        ) throws -> Program.Outcome {
            try Program.run(
                [Larder.path, "serve", "--listen", "127.0.0.1:0", "--data", data] + options, environment: environment)
        }

        private func doctor(_ endpoint: String) throws -> Program.Outcome {
            try Program.run(
                [Larder.path, "doctor", "--data", Server.defaultData] + options(at: endpoint),
                environment: Self.environment)
        }

        private func metric(_ name: String, of server: Server) throws -> Int? {
            let connection = try server.connect()
            try connection.sendHead("GET", "/metrics", ["Authorization": "Bearer \(server.token)"])
            let lines = try connection.receive().text.split(separator: "\n")
            return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
        }

        /// Returns the differences between a published folder and the pages of a device.
        private func changes(of folder: String, on device: LarderDevice) throws -> [String] {
            let copy = try device.copy(of: "news").path
            let descriptors: Set = ["app.config.json", "files.json"]
            return try FolderContents(folder).differences(
                in: FolderContents(copy, skipping: descriptors.contains))
        }

        private static let coldCache = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/cold_cache.py").path

        @Test func `16 devices that request 100 files at once cause one request to the bucket for each file`() throws {
            let bucket = try S3Server()
            var server = try serve(bucket)
            try server.putPackage("news")
            let names = (0..<100).map { "files/\($0).bin" }
            let files = Dictionary(
                uniqueKeysWithValues: names.enumerated().map { ($1, SamplePackage.noise(1_500, seed: UInt64($0))) })
            try server.mustPublish(try SamplePackage.folder("page", files), as: "news", "1")
            try server.release("1", of: "news")
            try server.stop()
            try removeCache()
            server = try serve(bucket, token: server.token)
            _ = try bucket.takeCounts()
            let list = "\(ScratchDirectory.path)/paths"
            try Data(names.map { "/online/news/1/\($0)" }.joined(separator: "\n").utf8)
                .write(to: URL(fileURLWithPath: list))
            let outcome = try Program.run(
                ["sh", "-c", #"exec python3 "$0" "$1" 16 <"$2""#, Self.coldCache, server.base, list],
                upTo: .seconds(300))
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
            #expect(try bucket.takeCounts() == ["GET": 100])
            #expect(try metric("larder_cache_fills_total", of: server) == 100)
        }

        @Test func `devices are redirected to the bucket, and get everything else from the server`() throws {
            let bucket = try S3Server()
            let options = options(bucket) + ["--blob-delivery", "redirect"]
            var server = try Server(options: options, environment: Self.environment)
            #expect(server.log.contains("over http://, which many devices refuse"))
            try server.putPackage("news")
            let folder = try SamplePackage.folder("page", ["a.bin": SamplePackage.noise(300_000, seed: 1)])
            try server.mustPublish(folder, as: "news", "1")
            try server.release("1", of: "news")
            try server.stop()
            try removeCache()
            server = try Server(token: server.token, options: options, environment: Self.environment)
            _ = try bucket.takeCounts()
            let device = LarderDevice("first")
            #expect(try device.sync("news", with: server) == "full")
            #expect(try changes(of: folder, on: device) == [])
            #expect(try bucket.takeCounts() == ["GET": 1])
            #expect(try metric("larder_cache_fills_total", of: server) == 0)
            let page = try server.get("/online/news/1/index.html")
            #expect(page.status == 200 && page.text == "<h1>page</h1>")
            // The bucket refuses it, and its error is no package.
            let invented = try server.get("/blobs/\(String(repeating: "0", count: 64))/x.zip")
            let location = try #require(invented.fields["location"])
            #expect(invented.status == 302 && location.hasPrefix("\(bucket.endpoint)/larder/live/blobs/00/"))
            let status = try Program.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", location]).output
            #expect(status == "404")
        }

        @Test func `a network in front of the server and redirects exclude each other`() throws {
            let outcome = try failingStart(
                options(at: "http://127.0.0.1:1") + ["--blob-delivery", "redirect", "--cdn-url", "https://cdn.example"])
            #expect(outcome.status == 64 && outcome.errorOutput.contains("--blob-delivery proxy"))
            let wrong = try failingStart(options(at: "http://127.0.0.1:1") + ["--blob-delivery", "cdn"])
            #expect(wrong.status == 64 && wrong.errorOutput.contains("must be proxy or redirect"))
            let url = try failingStart(["--cdn-url", "cdn.example"])
            #expect(url.status == 64 && url.errorOutput.contains("--cdn-url must be an absolute"))
        }

        @Test func `a file of the access key that every account can read is named in the log`() throws {
            let bucket = try S3Server()
            let file = "\(ScratchDirectory.path)/credentials"
            try Data(
                "[default]\naws_access_key_id = \(S3Server.accessKey)\naws_secret_access_key = \(S3Server.secretKey)\n"
                    .utf8
            ).write(to: URL(fileURLWithPath: file))
            for (mode, isNamed) in [(0o640, false), (0o604, true)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
                let server = try Server(
                    data: "\(ScratchDirectory.path)/\(mode)",
                    options: options(bucket, "s3://\(S3Server.bucket)/m\(mode)") + ["--s3-credentials", file])
                // The whole log is written once the server has stopped.
                try server.stop()
                #expect(server.log.contains("chmod 600") == isNamed, "\(server.log)")
                #expect(!server.log.contains(S3Server.secretKey))
            }
        }

        @Test func `a clock that is 20 minutes off is logged at the start, and does no harm`() throws {
            let bucket = try S3Server(clockOffset: 1_200)
            let server = try serve(bucket)
            #expect(server.log.contains("event=bucket.clock"))
            #expect(server.log.contains("Set the clock"))
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
        }

        private func removeCache() throws { try FileManager.default.removeItem(atPath: cache) }

        @Test func `devices get packages from the bucket, also after the cache is lost`() throws {
            let bucket = try S3Server()
            var server = try serve(bucket)
            try server.putPackage("news")
            let folder = try SamplePackage.folder("page", ["a.bin": SamplePackage.noise(300_000, seed: 1)])
            try server.mustPublish(folder, as: "news", "1")
            try server.release("1", of: "news")
            let first = LarderDevice("first")
            #expect(try first.sync("news", with: server) == "full")
            #expect(try changes(of: folder, on: first) == [])
            #expect(!FileManager.default.fileExists(atPath: "\(Server.defaultData)/blobs"))

            try server.stop()
            try removeCache()
            server = try serve(bucket, token: server.token)
            let second = LarderDevice("second")
            #expect(try second.sync("news", with: server) == "full")
            #expect(try changes(of: folder, on: second) == [])
            #expect(try metric("larder_cache_fills_total", of: server) == 1)
            let page = try server.get("/online/news/1/index.html")
            #expect(page.status == 200 && page.text == "<h1>page</h1>")
            #expect(try server.get("/blobs/\(String(repeating: "0", count: 64))/x.zip").status == 404)

            try server.stop()
            let outcome = try doctor(bucket.endpoint)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput)")
        }

        @Test func `while the bucket is down, cached files are served and others get 503`() throws {
            let bucket = try S3Server()
            var server = try serve(bucket)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news")
            try server.stop()
            try removeCache()
            server = try serve(bucket, token: server.token)
            #expect(try LarderDevice("first").sync("news", with: server) == "full")

            try bucket.goDown()
            #expect(try LarderDevice("second").sync("news", with: server) == "full")
            let page = try server.get("/online/news/1/index.html")
            #expect(page.status == 503 && page.fields["retry-after"] != nil)
            #expect(try server.get("/config").status == 200)
            #expect(try server.publish(try SamplePackage.folder("other"), as: "news", "2").status != 0)
            #expect(server.log.contains("event=bucket.unavailable"))

            try bucket.comeBack()
            try Waiting.until("the bucket to be used again") {
                try server.get("/online/news/1/index.html").status == 200
            }
            try server.mustPublish(try SamplePackage.folder("other"), as: "news", "2")
        }

        @Test(.enabled(if: Probe.canTrace, "strace may not attach here"))
        func `a server that is killed between the upload and the commit publishes again`() throws {
            let bucket = try S3Server()
            var server = try serve(bucket)
            try server.putPackage("news")
            let folder = try SamplePackage.folder("page", ["a.bin": SamplePackage.noise(2_000_000, seed: 2)])
            let zip = try SamplePackage.zip(folder)
            // The first rename moves a file into the cache, once all files are in the bucket.
            let tracer = try Tracer.crash(server, at: "rename", number: 1)
            _ = try bucket.takeCounts()
            let upload = try Upload(zip, as: "news", "1", to: server)
            try upload.send(upTo: zip.count)
            #expect(throws: (any Error).self) { try upload.response() }
            #expect(try server.program.wait() == .killed(by: SIGKILL))
            withExtendedLifetime(tracer) {}
            let uploaded = try #require(try bucket.takeCounts()["PUT"])

            server = try serve(bucket, token: server.token)
            #expect(try server.versions(of: "news") == [])
            _ = try bucket.takeCounts()
            try server.mustPublish(folder, as: "news", "1")
            let again = try bucket.takeCounts()
            #expect(again["PUT"] ?? 0 < uploaded, "large files that the bucket has are not uploaded again")
            try server.release("1", of: "news")
            #expect(try LarderDevice("first").sync("news", with: server) == "full")
            try server.stop()
            #expect(try doctor(bucket.endpoint).status == 0)
        }

        @Test func `a bucket that does not respond delays no request for anything else`() throws {
            let bucket = MemoryBucket()
            let options = options(at: bucket.server.base)
            var server = try Server(options: options, environment: Self.environment)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.release("1", of: "news")
            try server.stop()
            try removeCache()
            server = try Server(token: server.token, options: options, environment: Self.environment)
            bucket.beSilent()
            // Several, so that every event loop has some of them.
            let waiting = try (0..<16).map { _ in
                let connection = try server.connect()
                try connection.sendHead("GET", "/online/news/1/index.html")
                return connection
            }
            for _ in 0..<50 { #expect(try server.get("/config").status == 200) }
            // Had a loop waited for the bucket, its requests would have been given up by now.
            bucket.endSilence()
            for connection in waiting { #expect(try connection.receive().status == 200) }
            bucket.server.stop()
        }

        @Test(.enabled(if: Probe.canMount, "only root can mount a small disk"))
        func `a full disk fails only requests for files that have to be fetched`() throws {
            let bucket = try S3Server()
            let server = try Server.onSmallDisk(options: options(bucket), environment: Self.environment)
            try server.putPackage("news")
            let folder = try SamplePackage.folder("page", ["a.bin": SamplePackage.noise(300_000, seed: 3)])
            try server.mustPublish(folder, as: "news", "1")
            try server.release("1", of: "news")
            try server.besides("sh", "-c", "rm -rf \"$0\"/cache/blobs/*/*", Server.defaultData)
            try server.fillDisk()
            server.expectFull(try server.get("/online/news/1/a.bin"))
            #expect(try server.get("/config").status == 200)
            try server.emptyDisk()
            #expect(try server.get("/online/news/1/a.bin").body.count == 300_000)
        }

        @Test func `a data directory stays with its bucket`() throws {
            let bucket = try S3Server()
            let server = try serve(bucket)
            try server.stop()
            let without = try failingStart([], data: Server.defaultData)
            #expect(without.status == 1 && without.errorOutput.contains("Give --blobs \(Self.location)/"))
            let elsewhere = try failingStart(
                options(bucket, "s3://\(S3Server.bucket)/other"), data: Server.defaultData)
            #expect(elsewhere.status == 1 && elsewhere.errorOutput.contains("If all objects were copied"))
            let backup = try Larder.run("backup", "--data", Server.defaultData, "\(ScratchDirectory.path)/backup")
            #expect(backup.status == 1 && backup.errorOutput.contains("docs/operations.md"))
            let restored = try Larder.run("restore", "--data", Server.defaultData, Server.defaultData)
            #expect(restored.status == 1 && restored.errorOutput.contains("are in the bucket \(Self.location)/"))
            let blind = try Larder.run("doctor", "--data", Server.defaultData)
            #expect(blind.status == 1 && blind.errorOutput.contains("--blobs"))

            let other = try failingStart(options(bucket))
            #expect(other.status == 1 && other.errorOutput.contains("belongs to another installation"))
        }

        @Test func `a data directory with local blobs refuses a bucket`() throws {
            let bucket = try S3Server()
            let server = try Server()
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.stop()
            let outcome = try failingStart(options(bucket), data: Server.defaultData)
            #expect(outcome.status == 1 && outcome.errorOutput.contains("without --blobs"))
        }

        @Test func `each fault of the bucket ends the start with what to do`() throws {
            let bucket = try S3Server()
            let wrongBucket = try failingStart(options(bucket, "s3://absent"))
            #expect(wrongBucket.status == 1 && wrongBucket.errorOutput.contains("The bucket 'absent' does not exist."))
            let secret = try failingStart(
                options(bucket),
                environment: ["AWS_ACCESS_KEY_ID": S3Server.accessKey, "AWS_SECRET_ACCESS_KEY": "very-secret"])
            #expect(secret.status == 1 && secret.errorOutput.contains("(SignatureDoesNotMatch)"))
            #expect(!secret.errorOutput.contains("very-secret"))
            let rights = try failingStart(
                options(bucket),
                environment: [
                    "AWS_ACCESS_KEY_ID": S3Server.strangerKey, "AWS_SECRET_ACCESS_KEY": S3Server.strangerSecret,
                ])
            #expect(rights.status == 1 && rights.errorOutput.contains("s3:PutObject"))
            let unusable = try failingStart(
                options(bucket), environment: ["AWS_ACCESS_KEY_ID": "a key", "AWS_SECRET_ACCESS_KEY": "s"])
            #expect(unusable.status == 64 && unusable.errorOutput.contains("AWS_ACCESS_KEY_ID"))
            #expect(unusable.errorOutput.contains("cannot be used"))
            let missing = try failingStart(options(bucket), environment: [:])
            #expect(missing.status == 64 && missing.errorOutput.contains("--s3-credentials"))
            try bucket.goDown()
            let down = try failingStart(options(bucket))
            #expect(down.status == 1 && down.errorOutput.contains("Check --s3-endpoint"))
        }

        @Test func `an option that needs a bucket is refused without one`() throws {
            for (name, value) in [
                ("--s3-endpoint", "http://h"), ("--s3-region", "r"), ("--s3-path-style", "on"),
                ("--s3-credentials", "f"), ("--cache-dir", "d"), ("--cache-bytes", "100000000"),
                ("--blob-delivery", "redirect"),
            ] {
                let outcome = try failingStart([name, value])
                #expect(outcome.status == 64 && outcome.errorOutput.contains("\(name) applies only with --blobs"))
            }
        }

        @Test func `the doctor finds an object that the bucket has lost`() throws {
            let bucket = MemoryBucket()
            let server = try Server(options: options(at: bucket.server.base), environment: Self.environment)
            try server.putPackage("news")
            try server.mustPublish(try SamplePackage.folder("page"), as: "news", "1")
            try server.stop()
            // Another server, whose bucket of the same name is empty.
            let empty = try S3Server()
            for outcome in [
                try failingStart(options(empty), data: Server.defaultData), try doctor(empty.endpoint),
            ] {
                #expect(outcome.status == 1, "\(outcome.errorOutput)")
                #expect(outcome.errorOutput.contains("live/larder.json is missing"))
                #expect(outcome.errorOutput.contains("at \(empty.endpoint)"))
            }
            bucket.loseBlobs()
            let outcome = try doctor(bucket.server.base)
            #expect(outcome.status == 2 && outcome.output.contains("is missing, which news 1 needs"))
        }
    }
}

/// A bucket without any checks of signatures, whose responses to GET and HEAD can be held back.
private final class MemoryBucket: Sendable {
    private final class State: Sendable {
        let objects = Mutex<[String: [UInt8]]>([:])
        let isSilent = Atomic(false)
        let silence = DispatchGroup()
    }

    let server: TinyServer
    private let state: State

    init() {
        let state = State()
        self.state = state
        server = TinyServer { request in
            switch request.method {
            case "PUT": state.objects.withLock { $0[request.path] = request.body }
            case "DELETE": state.objects.withLock { $0[request.path] = nil }
            default:
                if state.isSilent.load(ordering: .relaxed) { state.silence.wait() }
                return state.objects.withLock { objects in
                    objects[request.path].map { .response(200, [:], $0) }
                        ?? .response(404, [:], Array("<Error><Code>NoSuchKey</Code></Error>".utf8))
                }
            }
            return .response(200)
        }
    }

    func beSilent() {
        state.silence.enter()
        state.isSilent.store(true, ordering: .relaxed)
    }

    func endSilence() {
        state.isSilent.store(false, ordering: .relaxed)
        state.silence.leave()
    }

    func loseBlobs() { state.objects.withLock { $0 = $0.filter { !$0.key.contains("/blobs/") } } }
}
