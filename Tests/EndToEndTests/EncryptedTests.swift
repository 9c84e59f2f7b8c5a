import Foundation
import Ground
import TLS
import TestKit
import Testing

extension EndToEnd {
    /// Tests the commands over TLS.
    @Suite struct EncryptedTests {
        @Test func `commands go on with a server that --ca-file vouches for, and with no other`() throws {
            let files = try TestCertificate.make(names: ["IP:127.0.0.1"])
            let server = try Server(
                listen: "https://127.0.0.1:0,http://127.0.0.1:0",
                options: ["--tls-certificate", files.certificate, "--tls-key", files.key])
            let secure = try #require(server.secureBase)
            try server.putPackage("news")
            let page = try SamplePackage.folder("page")
            let folder = "\(ScratchDirectory.path)/device"

            func publish(to base: String, _ options: String...) throws -> Program.Outcome {
                try Program.run(
                    [Larder.path, "publish", page, "--package", "news", "--version", "1", "--server", base] + options,
                    environment: ["LARDER_TOKEN": server.token])
            }
            let other = "https://localhost:\(secure.split(separator: ":").last ?? "")"
            for outcome in [
                try publish(to: secure), try publish(to: other, "--ca-file", files.certificate),
                try Larder.run("sync", secure, folder),
            ] {
                #expect(outcome.status == 1)
                #expect(outcome.errorOutput.contains("is not trusted"))
            }
            #expect(try server.versions(of: "news") == [])

            let published = try publish(to: secure, "--ca-file", files.certificate)
            #expect(published.status == 0, "\(published.errorOutput)")
            try server.release("1", of: "news")
            #expect(try server.config()["news"]?.url?.hasPrefix(secure) == true)
            let synced = try Larder.run("sync", secure, folder, "--ca-file", files.certificate)
            #expect(synced.status == 0, "\(synced.output)\(synced.errorOutput)")
            let copy = try FolderContents("\(folder)/news").read("index.html")
            #expect(try copy == FolderContents(page).read("index.html"))
        }
    }
}
