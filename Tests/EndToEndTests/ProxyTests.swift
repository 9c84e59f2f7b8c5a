import TLS
import TestKit
import Testing

extension EndToEnd {
    /// The commands behind a forward proxy, as in a pipeline that reaches nothing else.
    @Suite struct ProxyTests {
        @Test func `publish and sync use the proxy of the environment, except for hosts in NO_PROXY`() throws {
            let files = try TestCertificate.make(names: ["IP:0.0.0.0", "IP:127.0.0.1"])
            let server = try Server(
                listen: "https://127.0.0.1:0,http://127.0.0.1:0",
                options: ["--tls-certificate", files.certificate, "--tls-key", files.key])
            // An address that reaches this machine, and is none of those that never go through a proxy. /config names
            // downloads by 127.0.0.1, so only its own requests go through the proxy.
            let secure = try #require(server.secureBase).replacing("127.0.0.1", with: "0.0.0.0")
            let base = server.base.replacing("127.0.0.1", with: "0.0.0.0")
            let tunnel = "CONNECT \(secure.dropFirst("https://".count)) HTTP/1.1"
            try server.putPackage("news")
            // Over 8 MB: uploaded in parts.
            let page = try SamplePackage.folder("page", ["noise.bin": SamplePackage.noise(10 << 20, seed: 1)])
            let proxy = ForwardProxy()
            defer { proxy.stop() }
            let proxied = [
                "LARDER_TOKEN": server.token, "LARDER_CA_FILE": files.certificate,
                "HTTPS_PROXY": "http://ci:secret@127.0.0.1:\(proxy.port)",
                "http_proxy": "http://ci:secret@127.0.0.1:\(proxy.port)",
            ]

            let published = try Larder.run(
                "publish", page, "--package", "news", "--version", "1", "--server", secure, environment: proxied)
            #expect(published.status == 0, "\(published.errorOutput)")
            let tunnels = proxy.requests.count
            #expect(tunnels > 0 && Set(proxy.requests.map(\.line)) == [tunnel])
            try server.release("1", of: "news")

            let folder = "\(ScratchDirectory.path)/device"
            let synced = try Larder.run("sync", secure, folder, environment: proxied)
            #expect(synced.status == 0, "\(synced.output)\(synced.errorOutput)")
            #expect(try FolderContents("\(folder)/news").read("noise.bin") == FolderContents(page).read("noise.bin"))
            #expect(proxy.requests.count > tunnels && Set(proxy.requests.map(\.line)) == [tunnel])

            // Without TLS the proxy gets the requests themselves.
            let plain = try Larder.run("sync", base, "\(folder)-plain", "--json", environment: proxied)
            #expect(plain.status == 0, "\(plain.output)\(plain.errorOutput)")
            #expect(proxy.requests.contains { $0.line.hasPrefix("GET \(base)/config") })

            let before = proxy.requests.count
            let direct = try Larder.run(
                "sync", secure, folder, environment: proxied.merging(["NO_PROXY": "0.0.0.0"]) { $1 })
            #expect(direct.status == 0, "\(direct.output)\(direct.errorOutput)")
            #expect(proxy.requests.count == before)
        }

        @Test(arguments: [407, 502]) func `a proxy that refuses is named without its password`(status: Int) throws {
            let page = try SamplePackage.folder("page")
            let proxy = ForwardProxy(refusing: status)
            defer { proxy.stop() }
            for server in ["https://larder.example", "http://larder.example"] {
                let outcome = try Larder.run(
                    "publish", page, "--package", "news", "--version", "1", "--server", server,
                    environment: [
                        "LARDER_TOKEN": "token", "ALL_PROXY": "http://ci:secret@127.0.0.1:\(proxy.port)",
                    ])
                #expect(outcome.status == 1)
                let said = outcome.output + outcome.errorOutput
                #expect(said.contains("The proxy http://127.0.0.1:\(proxy.port) refuses"), "\(said)")
                #expect(said.contains("(\(status))") && !said.contains("secret"), "\(said)")
            }
        }
    }
}
