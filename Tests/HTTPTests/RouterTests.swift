import HTTP
import Testing

struct RouterTests {
    private let router: Router<String> = {
        var router = Router<String>()
        router.add(.get, "/", "root")
        router.add(.get, "/api/apps", "list")
        router.add(.post, "/api/apps", "create")
        router.add(.get, "/api/apps/{app}", "show")
        router.add(.delete, "/api/apps/{app}", "delete")
        router.add(.get, "/api/apps/{app}/packages/{package}", "package")
        router.add(.get, "/api/apps/special/packages/{package}/files", "special files")
        router.add(.get, "/files/{name}", "file")
        router.add(.get, "/files/{name}/{path...}", "rest")
        router.add(.put, "/files/fixed", "fixed")
        return router
    }()

    private func match(_ method: Method, _ path: String) throws -> String {
        let head = try RequestHead(parsing: "\(method) \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
        switch router.match(method, head) {
        case .found(let endpoint, let parameters, _):
            let values = ["app", "package", "name", "path"].compactMap { name in
                parameters[name].map { "\(name)=\($0)" }
            }
            return ([endpoint] + values).joined(separator: " ")
        case .methodNotAllowed(let allow): return "405 " + allow.map(\.token).joined(separator: ",")
        case .server(let allow): return "server " + allow.map(\.token).joined(separator: ",")
        case .notFound: return "404"
        case .badPath: return "400"
        }
    }

    @Test(arguments: [
        ("/", "root"), ("/api/apps", "list"), ("/api/apps?x=/y", "list"), ("/api/apps/one", "show app=one"),
        ("/api/apps/one/packages/p.q", "package app=one package=p.q"),
        ("/api/apps/special/packages/x/files", "special files package=x"),
        ("/api/apps/special/packages/x", "package app=special package=x"),
        ("/files/a", "file name=a"), ("/files/a/", "rest name=a path="), ("/files/a/b/c.js", "rest name=a path=b/c.js"),
        ("/files/a/b/", "rest name=a path=b/"), ("/files/fixed", "file name=fixed"),
        ("/files/%E5%8C%85", "file name=包"), ("/f%69les/a%20b", "file name=a b"), ("/files/a.b", "file name=a.b"),
        ("/files/...", "file name=..."),
    ])
    func `a path leads to the most literal pattern that fits`(path: String, expected: String) throws {
        #expect(try match(.get, path) == expected)
        #expect(try match(.head, path) == expected)
    }

    @Test(arguments: [
        "/nothing", "/api/apps/", "/api//apps", "/api/apps//packages/p", "/files/a//b", "//", "/API/apps",
    ])
    func `other paths have no route`(path: String) throws {
        #expect(try match(.get, path) == "404")
    }

    @Test(arguments: [
        "/files/..", "/files/.", "/files/a/../b", "/files/%2e%2E", "/files/a%2Fb", "/files/a%2fb", "/files/a%00",
        "/files/a\\b", "/files/..\\a", "/files/%5c", "/files/%5C..", "/files/%0a", "/files/a%0D%0Ab", "/files/%7F",
        "/files/%1f",
        "/files/%C0%AF", "/files/%C0%AE%C0%AE", "/files/%ED%A0%80", "/files/%E5%8C", "/config%2F", "/files/%2E",
        "/files/.%2E/a",
        "/files/%", "/files/%4", "/files/%zz", "/files/%FF", "/files/a/.%2e/b", "/../nothing",
    ])
    func `a path that could be read as another one is refused`(path: String) throws {
        #expect(try match(.get, path) == "400")
    }

    @Test func `a known path with an unknown method names the methods it knows`() throws {
        #expect(try match(.put, "/api/apps") == "405 GET,HEAD,POST")
        #expect(try match(.post, "/files/fixed") == "405 PUT,GET,HEAD")
        #expect(try match(.put, "/files/fixed") == "fixed")
    }

    @Test func `the asterisk is the server with every method it knows`() throws {
        #expect(try match(.options, "*") == "server GET,HEAD,POST,DELETE,PUT")
    }

    @Test func `unescaped bytes of a path are read as UTF-8`() throws {
        #expect(try match(.get, "/files/包") == "file name=包")
        let bytes = Array("GET /files/".utf8) + [0xFF] + Array(" HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        var parser = HeadParser()
        var head = RequestHead()
        #expect(try parser.parse(bytes, bytes.indices, into: &head) == .complete(end: bytes.count))
        guard case .badPath = router.match(.get, head) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `the route is returned, and its name is the method and the pattern`() throws {
        let head = try RequestHead(parsing: "GET /api/apps/a/packages/b HTTP/1.1\r\nHost: h\r\n\r\n")
        guard case .found(_, _, let route) = router.match(.get, head) else {
            Issue.record("not found")
            return
        }
        #expect(router.names[Int(route.index)] == "GET /api/apps/{app}/packages/{package}")
    }
}
