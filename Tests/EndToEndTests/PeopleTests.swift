import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests the requests of the verbs about people and their tokens.
    @Suite struct PeopleTests {
        /// Runs a command with a line on standard input, and returns what it printed and the requests.
        private func larder(
            _ words: String, input: String = "", response: String = #"{"name": "ann", "token": "larder_new"}"#
        ) throws -> (outcome: Program.Outcome, requests: [TinyServer.Request]) {
            let server = TinyServer { _ in .response(200, [:], Array(response.utf8)) }
            defer { server.stop() }
            let outcome = try Program.run(
                ["sh", "-c", "printf '%s\\n' '\(input)' | \(Larder.path) \(words)"],
                environment: ["LARDER_SERVER": server.base, "LARDER_TOKEN": "x"])
            return (outcome, server.requests)
        }

        @Test func `a person is created with a password from standard input, and with grants`() throws {
            let (outcome, requests) = try larder(
                "user create ann --grants publisher,releaser:default/beta", input: "a long pass phrase")
            #expect(outcome.status == 0 && outcome.output == "created ann\n", "\(outcome)")
            #expect(requests.map { "\($0.method) \($0.path)" } == ["POST /api/v1/users"])
            let body = try #require(JSON(parsing: requests[0].body))
            #expect(body["name"] == "ann" && body["password"] == "a long pass phrase")
            #expect(
                body["grants"]?.text
                    == #"[{"role":"publisher"},{"app":"default","channel":"beta","role":"releaser"}]"#, "\(body.text)")
            #expect(try larder("user create ann --grants :default").outcome.status == 64)
        }

        @Test func `a change sends only what it changes`() throws {
            let (_, grants) = try larder("user change ann --grants admin")
            #expect(grants.map { "\($0.method) \($0.path)" } == ["PATCH /api/v1/users/ann"])
            #expect(JSON(parsing: grants[0].body)?.members?.map(\.key) == ["grants"])
            let (_, password) = try larder("user change ann --password", input: "another pass phrase")
            #expect(JSON(parsing: password[0].body) == .object(["password": "another pass phrase"]))
            #expect(try larder("user change ann").outcome.status == 64)
            let (deleted, requests) = try larder("user delete ann")
            #expect(deleted.output == "deleted ann\n" && requests.first?.method == "DELETE")
        }

        @Test func `a token is limited at its creation and rotated with an overlap`() throws {
            let (_, created) = try larder(
                "token create --name ci --role publisher --app default --channel beta --expires 2999-01-01T00:00:00Z")
            #expect(
                String(decoding: created[0].body, as: UTF8.self)
                    == #"{"name":"ci","role":"publisher","app":"default","channel":"beta","expiresAt":"2999-01-01T00:00:00Z"}"#
            )
            let (rotated, requests) = try larder("token rotate 2 --overlap-seconds 60")
            #expect(rotated.output == "larder_new\n", "\(rotated)")
            #expect(requests.map { "\($0.method) \($0.path)" } == ["POST /api/v1/tokens/2/rotate"])
            #expect(JSON(parsing: requests[0].body) == .object(["overlapSeconds": 60]))
        }

        @Test func `the list of people shows their grants`() throws {
            let list = #"{"users": [{"name": "ann", "grants": [{"role": "releaser", "app": "default"}]}]}"#
            let (outcome, requests) = try larder("user list", response: list)
            #expect(outcome.output == "ann  default:releaser  -\n", "\(outcome)")
            #expect(requests.first?.path == "/api/v1/users")
        }
    }
}
