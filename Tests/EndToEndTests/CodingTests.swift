import TestKit
import Testing

extension EndToEnd {
    /// Tests that another program reads compressed texts.
    @Suite struct CodingTests {
        @Test(arguments: ["/config", "/keys.json", "/console/", "/console/main.js"])
        func `curl reads the same text in every coding, and gets 304 if it has it`(path: String) throws {
            let server = try Server()
            try server.putPackage("news")
            let folder = try SamplePackage.folder("news")
            try server.mustPublish(folder, as: "news", "1.0.0")
            try server.release("1.0.0", of: "news")
            let url = server.base + path
            let plain = try Program.succeed(["curl", "-sS", "--fail", url])
            #expect(plain.utf8.count > 256)
            for coding in ["br", "gzip"] {
                let fields = ["curl", "-sS", "--fail", "-H", "Accept-Encoding: \(coding)", url]
                let head = try Program.succeed(fields + ["-I"]).lowercased()
                #expect(head.contains("\r\ncontent-encoding: \(coding)\r\n"))
                let count = try #require(
                    head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }?.split(separator: " ").last
                )
                let size = try Program.succeed(fields + ["-o", "/dev/null", "-w", "%{size_download}"])
                #expect(size == count && Int(size) ?? .max < plain.utf8.count)
                #expect(try Program.succeed(fields + ["--compressed"]) == plain)
                let tag = "\(ScratchDirectory.path)/etag-\(coding)"
                _ = try Program.succeed(fields + ["--etag-save", tag, "-o", "/dev/null"])
                let again = fields + ["--etag-compare", tag, "-w", "%{http_code}"]
                #expect(try Program.succeed(again) == "304")
            }
        }
    }
}
