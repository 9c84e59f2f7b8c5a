import API
import Domain
import Ground
import ServiceKit
import Store
import TestKit
import Testing

@testable import Platform

/// Tests two servers of one installation: each one serves what the other has changed.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct NodesTests {
    private func cursor(_ service: TestService) async throws -> String {
        try #require(try await service.get("/push").json["cursor"]?.string)
    }

    private func isOffered(_ version: String, by service: TestService) async throws -> Bool {
        try await service.get("/config").text.contains("\"version\":\"\(version)\"")
    }

    @Test func `a release wakes the clients of both servers, which then respond with the same bytes`() async throws {
        try await TestNodes.run { nodes in
            let (one, two) = (nodes.one, nodes.two)
            try await one.publishSample("1.0.0")
            #expect(try await TestNodes.eventually { try await self.cursor(one) == self.cursor(two) })
            let cursor = try await cursor(two)
            let waits = [
                try await one.wait("/push?cursor=\(cursor)"), try await two.wait("/push?cursor=\(cursor)"),
            ]
            try await one.release("1.0.0")
            var responses: [TestResponse] = []
            for wait in waits { responses.append(await wait.awaitResponse()) }
            #expect(responses.allSatisfy { $0.text.contains("\"activated\"") })
            #expect(responses[0].body == responses[1].body)
            let configs = [try await one.get("/config"), try await two.get("/config")]
            #expect(try #require(configs.first).text.contains("1.0.0"))
            #expect(configs[0].body == configs[1].body)
            #expect(configs[0]["ETag"] == configs[1]["ETag"] && configs[0]["ETag"] != nil)
            #expect(configs[0]["Larder-Cursor"] == configs[1]["Larder-Cursor"])
            #expect(configs[0]["Larder-Cursor"] == responses[0]["Larder-Cursor"])
        }
    }

    @Test func `changes on both servers at once are all kept, and both serve all of them`() async throws {
        try await TestNodes.run { nodes in
            let names = try (0..<40).map { try #require(ChannelName("c\($0)")) }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for (index, name) in names.enumerated() {
                    let service = index.isMultiple(of: 2) ? nodes.one : nodes.two
                    group.addTask {
                        try await service.catalogue.declareChannel(name, of: service.app, by: .server)
                    }
                }
                for try await isNew in group { #expect(isNew) }
            }
            for service in [nodes.one, nodes.two] {
                #expect(
                    try await TestNodes.eventually {
                        let app = try service.app
                        return names.allSatisfy { app.view(of: $0) != nil }
                    })
            }
            let entries = try await nodes.one.store.audit(before: nil, limit: 100).map(\.entry)
            #expect(entries.count { $0.action == "channel.declare" } == names.count)
            let versions = try [nodes.one, nodes.two].map { try $0.view().configVersion }
            #expect(versions[0] == versions[1])
        }
    }

    @Test func `a server loads what the other has changed before it decides on a change`() async throws {
        try await TestNodes.run(isFollowing: false) { nodes in
            let name = try #require(ChannelName("beta"))
            #expect(try await nodes.one.catalogue.declareChannel(name, of: nodes.one.app, by: .server))
            let app = try nodes.two.app
            #expect(app.view(of: name) == nil)
            let isKnown = try await nodes.two.live.alone(with: app) { () throws(PlatformError) in
                app.view(of: name) != nil
            }
            #expect(isKnown)
        }
    }

    @Test func `a token that one server revokes is refused by the other`() async throws {
        try await TestNodes.run { nodes in
            let (token, secret) = try await nodes.one.tokens.create(name: "ci", role: .publisher, by: .server)
            let request = TestRequest("GET", "/api/v1/apps").by(secret)
            // Cached on both.
            for service in [nodes.one, nodes.two] { #expect(try await service.send(request).status == 200) }
            _ = try await nodes.one.tokens.revoke(token.id, by: .server)
            #expect(try await nodes.one.send(request).status == 401)
            #expect(try await TestNodes.eventually { try await nodes.two.send(request).status == 401 })
        }
    }

    @Test func `keys that one server rotates are in the key document of the other`() async throws {
        try await TestNodes.run { nodes in
            let before = try await nodes.two.get("/keys.json")
            #expect(try await nodes.one.get("/keys.json").body == before.body)
            _ = try await nodes.one.keys.importSigning(pem: TestService.signingPEM, of: nodes.one.app, by: .server)
            let after = try await nodes.one.get("/keys.json")
            #expect(after.body != before.body)
            #expect(try await TestNodes.eventually { try await nodes.two.get("/keys.json").body == after.body })
        }
    }

    @Test func `an app that one server creates is served by the other with the same config version`() async throws {
        try await TestNodes.run { nodes in
            let shop = try #require(AppID("shop"))
            #expect(try await nodes.one.catalogue.createApp(shop, by: .server))
            #expect(try await TestNodes.eventually { nodes.two.live.app(shop) != nil })
            #expect(
                try await TestNodes.eventually {
                    let versions = try [nodes.one, nodes.two].map {
                        try $0.live.requireApp(shop).requireView(of: .production).configVersion
                    }
                    return versions[0] == versions[1]
                })
            #expect(try await !nodes.two.catalogue.createApp(shop, by: .server))
        }
    }

    @Test func `a server whose connection for changes is cut catches up`() async throws {
        try await TestNodes.run { nodes in
            try await nodes.one.publishSample("1.0.0")
            let follower = try #require(nodes.two.services.nodes?.follower)
            #expect(try await TestNodes.eventually { follower.isConnected })
            let database = try Database(.postgreSQL(nodes.address.with(.reader)))
            let ended: [Bool] = try database.values(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE '%sum(revision)%' AND pid <> pg_backend_pid()
                """)
            #expect(ended.count == 2)
            try await nodes.one.release("1.0.0")
            #expect(try await TestNodes.eventually { try await isOffered("1.0.0", by: nodes.two) })
        }
    }

    @Test func `a poll with a cursor of the other server waits, and gets only later events`() async throws {
        try await TestNodes.run(isFollowing: false) { nodes in
            let (one, two) = (nodes.one, nodes.two)
            try await one.ship("1.0.0")
            let ahead = try await cursor(one)
            #expect(try await cursor(two) != ahead)
            let wait = try await two.wait("/push?cursor=\(ahead)")
            let left = try await two.wait("/push?cursor=\(ahead)")
            // The second server reads the change, of which the client knows.
            _ = try await two.catalogue.declareChannel(try #require(ChannelName("beta")), of: two.app, by: .server)
            #expect(try await cursor(two) == ahead)
            left.leave()
            #expect(wait.response == nil && left.response == nil)
            try await one.publishSample("2.0.0")
            try await one.release("2.0.0")
            _ = try await two.catalogue.declareChannel(try #require(ChannelName("gamma")), of: two.app, by: .server)
            let events = try #require(try wait.response?.json["events"]?.elements)
            #expect(events.compactMap { $0["version"]?.string } == ["2.0.0"])
            #expect(left.response == nil)
        }
    }

    @Test func `a config is as new as the cursor that a client sends with its request`() async throws {
        try await TestNodes.run { nodes in
            try await nodes.one.ship("1.0.0")
            let ahead = try await cursor(nodes.one)
            #expect(try await nodes.two.get("/config?cursor=\(ahead)").text.contains("1.0.0"))
        }
    }

    @Test func `a server that does not learn of a change refuses the config to a client that knows it`() async throws {
        try await TestNodes.run(isFollowing: false) { nodes in
            try await nodes.one.ship("1.0.0")
            let response = try await nodes.two.get("/config?cursor=\(try await cursor(nodes.one))")
            #expect(response.status == 503 && response["Retry-After"] != nil)
            #expect(try await nodes.two.get("/config").status == 200)
        }
    }

    @Test func `while its state may be outdated, a server sends its config with the age to a client that knows more`()
        async throws
    {
        try await TestNodes.run(isFollowing: false) { nodes in
            try await nodes.one.ship("1.0.0")
            nodes.two.services.contact.lose()
            let response = try await nodes.two.get("/config?cursor=\(try await cursor(nodes.one))")
            #expect(response.status == 200 && response["Larder-Snapshot-Age"] != nil)
            #expect(!response.text.contains("1.0.0"))
        }
    }

    @Test func `a config is sent to a client with a cursor that the store does not know`() async throws {
        try await TestNodes.run { nodes in
            let follower = try #require(nodes.two.services.nodes?.follower)
            #expect(try await TestNodes.eventually { follower.isConnected })
            let cursor = try nodes.two.app.log.cursor
            for lead in [1, Int64(EventLog.capacity)] {
                let ahead = Cursor(epoch: cursor.epoch, sequence: cursor.sequence + lead)
                // On a busy machine the store may not be read in time.
                #expect(
                    try await TestNodes.eventually {
                        try await nodes.two.get("/config?cursor=\(ahead)").status == 200
                    })
            }
        }
    }

    // MARK: Lost commits

    /// Removes the last event of the app, as a failover to a server without the last commits does.
    private func loseLastEvent(_ database: Database) throws {
        try database.executeScript(
            """
            BEGIN;
            DELETE FROM events WHERE app = 'default' AND sequence = (SELECT sequence FROM apps WHERE id = 'default');
            UPDATE apps SET sequence = sequence - 1, config_version = config_version - 1 WHERE id = 'default';
            COMMIT
            """)
    }

    @Test func `after lost commits all waiting clients get refresh, and later events again`() async throws {
        try await TestNodes.run { nodes in
            let database = try Database(.postgreSQL(nodes.address.with(.reader)))
            try await nodes.one.ship("1.0.0")
            _ = try await nodes.one.keys.importSigning(pem: TestService.signingPEM, of: nodes.one.app, by: .server)
            let before = try await cursor(nodes.one)
            #expect(try await TestNodes.eventually { try await self.cursor(nodes.two) == before })
            let waits = [
                try await nodes.one.wait("/push?cursor=\(before)"), try await nodes.two.wait("/push?cursor=\(before)"),
                try await nodes.two.wait("/push?cursor=\(before)&packages=other"),
            ]
            try loseLastEvent(database)
            for wait in waits {
                let response = await wait.awaitResponse()
                #expect(response.text.contains("refresh"))
                #expect(response["Larder-Cursor"] != before)
            }
            let after = try await cursor(nodes.two)
            let wait = try await nodes.two.wait("/push?cursor=\(after)")
            try await nodes.one.publishSample("2.0.0")
            try await nodes.one.release("2.0.0")
            #expect(await wait.awaitResponse().text.contains("2.0.0"))
            // The number is that of the lost event.
            #expect(try await TestNodes.eventually { try await self.cursor(nodes.two) == before })
        }
    }

    @Test func `clients that know an event which the store has lost get refresh`() async throws {
        try await TestNodes.run { nodes in
            try await nodes.one.ship("1.0.0")
            let before = try await cursor(nodes.one)
            #expect(try await TestNodes.eventually { try await self.cursor(nodes.two) == before })
            let log = try nodes.two.app.log
            let lost = Cursor(epoch: log.epoch, sequence: log.sequence + 2).description
            let wait = try await nodes.two.wait("/push?cursor=\(lost)")
            let request = TestRequest("GET", "/push").with("Accept", "text/event-stream").with("Last-Event-ID", lost)
            let stream = try await nodes.two.follow(request)
            #expect(await wait.awaitResponse().text.contains("refresh"))
            #expect(try await TestNodes.eventually { stream.events == ["refresh"] })
            #expect(stream.ids.last == before)
            // The next events have the numbers of the lost ones.
            try await nodes.one.publishSample("2.0.0")
            try await nodes.one.release("2.0.0")
            #expect(try await TestNodes.eventually { stream.events.last == "activated" })
        }
    }

    @Test func `a lost event in whose place there is another one is noticed`() async throws {
        try await TestNodes.run { nodes in
            let database = try Database(.postgreSQL(nodes.address.with(.reader)))
            try await nodes.one.ship("1.0.0")
            _ = try await nodes.one.keys.importSigning(pem: TestService.signingPEM, of: nodes.one.app, by: .server)
            let before = try await cursor(nodes.one)
            #expect(try await TestNodes.eventually { try await self.cursor(nodes.two) == before })
            let wait = try await nodes.two.wait("/push?cursor=\(before)")
            try database.executeScript(
                """
                BEGIN;
                DELETE FROM events WHERE app = 'default' AND sequence = (SELECT sequence FROM apps WHERE id = 'default');
                INSERT INTO events (app, sequence, time, kind)
                SELECT id, sequence, 1, 'audiences-changed' FROM apps WHERE id = 'default';
                UPDATE apps SET config_version = config_version + 1 WHERE id = 'default';
                COMMIT
                """)
            #expect(await wait.awaitResponse().text.contains("refresh"))
            #expect(try nodes.two.app.log.events.last?.subject == .audiencesChanged)
        }
    }

    // MARK: A move

    @Test func `a server whose data were moved refuses reports, is not ready, and shows the age of its state`()
        async throws
    {
        try await TestNodes.run { nodes in
            let (two, contact) = (nodes.two, nodes.two.services.contact)
            let follower = try #require(two.services.nodes?.follower)
            #expect(try await TestNodes.eventually { follower.isConnected })
            #expect(contact.snapshotAge == nil)
            #expect(try await two.get("/readyz").status == 200)
            try Database(.postgreSQL(nodes.address.with(.reader))).executeScript(
                "CREATE TABLE larder_move (state text, epoch text, other text)")
            #expect(try await TestNodes.eventually { contact.snapshotAge != nil })
            #expect(try await two.get("/readyz").status == 503)
            let loop = Task { await two.reports.run() }
            let body: JSON = .array([
                .object([
                    "eventId": "e", "deviceId": "d", "package": "news", "version": "1.0.0", "event": "applied",
                    "time": 1,
                ])
            ])
            let request = TestRequest("POST", "/report", body: body.bytes()).with("Content-Type", "application/json")
            let response = try await two.send(request)
            // A busy or unavailable database would have them spooled, or refused with 503.
            #expect(response.status == 500 && response.text.contains("storage-failed"), "\(response.text)")
            loop.cancel()
            await loop.value
        }
    }
}
