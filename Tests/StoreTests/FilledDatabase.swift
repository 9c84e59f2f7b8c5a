import Domain
import Foundation
import Ground
import Store
import Synchronization
import TestKit
import Testing

/// A database with a row in every table, for statements that are rolled back; the tests of a kind share one.
///
/// It has the versions 1 and 2 of `news`, the second retired, 3 of `other`, whose files are removed, and 4 of `news`
/// without details. Statements may call SQLite's `zeroblob` on either kind.
final class FilledDatabase: Sendable {
    private let database: Mutex<Database>

    private init(_ database: sending Database) { self.database = Mutex(database) }

    /// Returns the database of a kind, and fills it first if it is new.
    static func of(_ kind: DatabaseKind) async throws -> FilledDatabase {
        switch kind {
        case .sqlite: try await sqlite.value
        case .postgresql: try await postgresql.value
        }
    }

    private static let sqlite = Task.detached { try await make(.sqlite) }
    private static let postgresql = Task.detached { try await make(.postgresql) }

    private static func make(_ kind: DatabaseKind) async throws -> FilledDatabase {
        let folder = URL.temporaryDirectory.appending(path: "larder-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The open file of SQLite stays usable, and is gone with the process.
        defer { try? FileManager.default.removeItem(at: folder) }
        return FilledDatabase(try await fill(kind.lastingLocation(in: folder.path)))
    }

    /// Runs statements one after the other in a transaction that is rolled back.
    func attempt(_ statements: [String]) throws {
        try database.withLock { database in
            try database.transaction {
                database.rehearse()
                for statement in statements { try database.executeScript(statement) }
            }
        }
    }

    /// Fills a database, and returns a connection to it that does not own it.
    static func fill(_ location: Database.Location) async throws -> Database {
        let store = try SQLStore(opening: location)
        try await store.addNews()
        let other = try #require(AppID("other"))
        _ = try await store.createApp(other, keys: [], audit: Fixture.audit("app.create", app: other))
        _ = try await store.putPackage(Fixture.newsPackage("other"), audit: Fixture.audit("package.put"))
        try await store.publish("1.0.0-a", seed: 1)
        try await store.publish("1.0.1", seed: 2)
        try await store.publish("1", of: "other", seed: 3)
        try await store.publish("4", seed: 4)
        let second = try Fixture.version("1.0.1")
        let news = try Fixture.package("news")
        _ = try await store.retire(
            second, of: news, in: Fixture.app, Retirement(time: Fixture.start, actor: "me", reason: "why"),
            audit: Fixture.audit("version.retire"))
        _ = try await store.putWaiver(
            LintWaiver(code: .sourceMap, path: nil, reason: "why", actor: "me", time: Fixture.start), of: news,
            in: Fixture.app, audit: Fixture.audit("waiver.put"))
        try await store.release("1.0.0-a")
        try await store.release("1.0.0-a", at: Fixture.start.adding(milliseconds: 1000))
        _ = try await store.createToken(
            name: "", role: .admin, secretHash: Fixture.digest(1), audit: Fixture.audit("token.create"))
        try await store.saveKeyDocument(
            SignedKeyDocument(
                number: 1, issuedAt: Fixture.start, expiresAt: Fixture.start.adding(milliseconds: 1), document: [],
                keyID: Fixture.keyID(1), signature: []),
            of: Fixture.app)
        let report = Report(
            app: Fixture.app, eventID: "e", deviceID: "d", package: try Fixture.package("news"), version: "1.0.1",
            event: "applied", time: Fixture.start, details: [])
        _ = try await store.insertReports([report], at: Fixture.start, keeping: ReportWindow())
        let database = try Database(location.shared)
        if database.dialect == .postgreSQL {
            try database.executeScript(
                """
                CREATE FUNCTION zeroblob(count integer) RETURNS bytea LANGUAGE sql
                AS $$ SELECT decode(repeat('00', count), 'hex') $$
                """)
        }
        try database.executeScript("DELETE FROM version_details WHERE version = 4")
        try database.executeScript(
            """
            INSERT INTO keys (app, id, purpose, public_key, sealed, outside, created_at, retired_at)
            VALUES ('default', '00000000000000fd', 'signing', zeroblob(32), 0, 0, 1, 1),
                ('default', '00000000000000fa', 'root', zeroblob(32), 0, 0, 1, 1);
            INSERT INTO release_sets (app, channel, created_at) VALUES ('default', 'production', 7);
            INSERT INTO root_changes
            VALUES ('default', 1, '00000000000000fa', '0000000000000001', zeroblob(64));
            INSERT INTO channels VALUES ('default', 'beta', 1);
            INSERT INTO approvals (
                app, channel, state, action, packages, version, requester, requested_by, address, requested_at,
                expires_at, request, summary, change, basis
            ) VALUES (
                'default', 'beta', 'pending', 'release.create', '["news"]', '1', 'token:1', 'a (#1)', '127.0.0.1', 1, 2,
                '{}', 'a', '{}', '{}'
            );
            INSERT INTO device_lists (app, name, changed_at, devices) VALUES ('default', 'testers', 1, zeroblob(16));
            INSERT INTO builds VALUES ('default', '8.3', '[]', 1);
            INSERT INTO version_requirements VALUES (1, NULL, NULL, '[]', '{}');
            INSERT INTO presets (app, build, created_at) VALUES ('default', '8.3', 1);
            INSERT INTO preset_versions VALUES (1, 1, 1);
            INSERT INTO patch_demand VALUES (1, 1, 2, 1);
            INSERT INTO resource_numbers VALUES (1, 'production', 'a', 1, zeroblob(32), 1, 'default');
            INSERT INTO resource_lists (app, package, channel, sequence, current)
            VALUES ('default', 1, 'production', 1, 1);
            INSERT INTO prunings (version, pruned_at) VALUES (3, 1);
            INSERT INTO report_counts VALUES (2, 'applied', 1, 1);
            INSERT INTO report_totals VALUES (2, 'hour', 3600000, 'applied', 1, 'r', 'p', '1', 1, 0, 1, zeroblob(9), zeroblob(3));
            INSERT INTO report_labels VALUES (1, 'reason', 'r', 1);
            INSERT INTO report_progress VALUES (1, 1, 1, 0);
            INSERT INTO report_id_segments VALUES (0, 1, 1, 1);
            INSERT INTO report_ids VALUES (0, 1, zeroblob(7));
            INSERT INTO report_id_filters VALUES (0, zeroblob(131072));
            INSERT INTO report_ids_forgotten VALUES (1, 1);
            INSERT INTO webhooks (
                app, kind, endpoint, sealed, events, created_at, revision, through, attempts, next_at, deliveries
            ) VALUES ('default', 'slack', zeroblob(9), 0, '["*"]', 1, 1, 0, 0, 1, 1);
            INSERT INTO webhook_deliveries VALUES (1, 1, 1, 'a', 1, 0, 'delivered', 200, '');
            INSERT INTO idempotency_keys (holder, key, request, claimed_at) VALUES ('token:1', 'a', zeroblob(16), 1);
            INSERT INTO users (name, disabled, created_at, password, salt, log_n, r, p, sealed, confirmed, revision)
            VALUES ('ann', 0, 1, zeroblob(32), zeroblob(16), 16, 8, 2, 0, 0, 1);
            INSERT INTO user_grants VALUES (1, 1, 'viewer', NULL, NULL);
            INSERT INTO sessions (user_id, secret_hash, created_at, used_at, address)
            VALUES (1, zeroblob(32), 1, 1, '127.0.0.1');
            INSERT INTO command_line_requests VALUES ('BCDF-GHJK', zeroblob(32), 'm', '127.0.0.1', '127.0.0.1', 1, 0);
            INSERT INTO ci_trusts VALUES ('ci', 'https://ci', 'a', '{"b":"c"}', 'publisher', 'default', NULL, 900);
            INSERT INTO sign_in_providers VALUES ('acme', 'https://id', 'Acme', 'c', zeroblob(9), 1, '["openid"]', 'u', 'g', 1);
            INSERT INTO sign_in_grants VALUES ('acme', 1, 'g', 'viewer', 'default', NULL);
            INSERT INTO user_identities VALUES (1, 'https://id', 's', 'acme');
            INSERT INTO sign_in_attempts VALUES (zeroblob(32), zeroblob(32), 'acme', '/console/', '127.0.0.1', 1);
            INSERT INTO seen_days VALUES (20000);
            INSERT INTO adoption VALUES (1, 'production', 20000, 1);
            INSERT INTO release_health VALUES (1, 1, 3600000, NULL, '{}', 0);
            INSERT INTO health_steps VALUES (1, 1, zeroblob(9));
            """)
        return database
    }
}
