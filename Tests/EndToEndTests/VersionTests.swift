import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the life of versions from the point of view of a pipeline and its operators.
    @Suite struct VersionTests {
        private func publish(_ server: Server, _ path: String, _ options: String...) throws -> Program.Outcome {
            try Program.run(
                [Larder.path, "publish", path, "--package", "news", "--version", "1"] + options,
                environment: server.environment)
        }

        private func json(_ text: String) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        @Test func `a pipeline tries a version, publishes it with its notes, and may come again`() throws {
            let server = try Server()
            try server.putPackage("news")
            let waiver = try server.call(
                "PUT", "/apps/default/packages/news/waivers/source-map", #"{"reason": "for crash reports"}"#)
            #expect(waiver.status == 201)
            let page = Data("<img src='no.png'>".utf8)
            let folder = try SamplePackage.folder("pages", ["index.html": page, "a.js.map": Data("{}".utf8)])

            let dry = try publish(server, folder, "--dry-run")
            #expect(dry.status == 0 && dry.output.hasPrefix("would publish news 1: 2 files, "))
            #expect(dry.output.contains("\nwarning reference-missing index.html: "))
            #expect(dry.output.contains("\nwaived source-map (1): for crash reports\n"))
            #expect(try server.versions(of: "news") == [])

            let details = ["--notes", "New:\n- faster", "--commit", "739e1b9", "--author", "Zoë"]
            let made = try Program.run(
                [Larder.path, "publish", folder, "--package", "news", "--version", "1", "--json"] + details,
                environment: server.environment)
            let version = try json(made.output)
            #expect(version["status"] as? String == "published" && version["notes"] as? String == "New:\n- faster")
            #expect(version["commit"] as? String == "739e1b9" && version["author"] as? String == "Zoë")
            let kept = try json(server.call("GET", "/apps/default/packages/news/versions/1").text)
            #expect((kept["warnings"] as? [Any])?.count == 1)

            #expect(try publish(server, folder).output == "news 1 is published already, with the same content\n")
            let other = try SamplePackage.folder("others")
            #expect(try publish(server, other).status == 2)
            let again = try publish(server, other, "--if-exists=ok")
            #expect(again.status == 0)
            #expect(again.output == "news 1 exists already, with other content; nothing was changed\n")
            let same = try publish(server, folder, "--if-exists", "ok").output
            #expect(same == "news 1 exists already, with the same content\n")
        }

        @Test func `a retired version stays away from devices, also after a restart`() throws {
            let server = try Server()
            try server.putPackage("news")
            let folder = try SamplePackage.folder("pages")
            #expect(try publish(server, folder).status == 0)
            let path = "/apps/default/packages/news/versions/1"
            #expect(try server.call("POST", path + "/retire", #"{"reason": "crashes"}"#).status == 200)
            try server.stop()
            let next = try Server(token: server.token)
            let refusal = try next.call("POST", "/apps/default/packages/news/releases", #"{"version": "1"}"#)
            #expect(refusal.status == 409 && refusal.text.contains("version-retired"))
            let again = try publish(next, folder)
            #expect(again.status == 0 && again.output.contains("retired") && again.output.contains("crashes"))
            #expect(try next.call("POST", path + "/unretire").status == 200)
            try next.release("1", of: "news")
            #expect(try next.config()["news"] != nil)
        }
    }
}
