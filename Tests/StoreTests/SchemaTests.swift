import Store
import TestKit
import Testing

/// Tests that the database rejects rows that the program never writes.
@Suite(.scratchDirectory, .databases)
struct SchemaTests {
    private static let wrongRows = [
        // Identifiers
        "INSERT INTO apps (id, config_version) VALUES ('Upper', 1)",
        "INSERT INTO apps (id, config_version) VALUES ('-a', 1)",
        "INSERT INTO apps (id, config_version) VALUES ('', 1)",
        "INSERT INTO apps (id, config_version) VALUES ('a', 0)",
        "INSERT INTO apps (id, config_version) VALUES ('default', 1)",
        "INSERT INTO channels (app, name) VALUES ('default', 'Beta')",
        "INSERT INTO channels (app, name) VALUES ('none', 'beta')",
        "INSERT INTO channels (app, name) VALUES ('default', 'production')",
        "UPDATE apps SET sequence = -1",
        "UPDATE packages SET id = 'a..b', folded = 'a..b' WHERE number = 1",
        "UPDATE packages SET id = '-a', folded = '-a' WHERE number = 1",
        "UPDATE packages SET folded = 'other'",
        "UPDATE packages SET id = 'News'",
        "UPDATE packages SET url_prefix = '/news'",
        "UPDATE packages SET entry = ''",
        "UPDATE packages SET enabled = 2",
        "UPDATE packages SET name = NULL",
        "UPDATE packages SET dialects = '{}'", "UPDATE packages SET dialects = NULL",
        "UPDATE packages SET resources = '[]'",
        "UPDATE packages SET permissions = '[]'",
        "INSERT INTO page_grants VALUES ('default', 'Cart', 'https://a', '/', '[]', 1)",
        "INSERT INTO page_grants VALUES ('none', 'cart', 'https://a', '/', '[]', 1)",
        "INSERT INTO page_grants VALUES ('default', 'cart', 'ftp://a', '/', '[]', 1)",
        "INSERT INTO page_grants VALUES ('default', 'cart', 'https://a', 'a', '[]', 1)",
        "INSERT INTO page_grants VALUES ('default', 'cart', 'https://a', '/a/', '[]', 1)",
        "INSERT INTO page_grants VALUES ('default', 'cart', 'https://a', '/', '{}', 1)",
        """
        INSERT INTO page_grants VALUES ('default', 'a', 'https://a', '/', '[]', 1), ('default', 'b', 'https://a', '/', '[]', 1)
        """,
        """
        INSERT INTO packages (app, id, folded, name, url_prefix, enabled, priority)
        VALUES ('default', 'NEWS', 'news', '', '/', 1, 1)
        """,
        // Devices seen
        "INSERT INTO seen_places VALUES (9, 'default', 'none', 1, NULL)",
        "INSERT INTO seen_places VALUES (8, 'default', 'production', 1, NULL), (9, 'default', 'production', 1, NULL)",
        "INSERT INTO seen_devices VALUES (9, zeroblob(16), 1, 1, NULL, 0)",
        "INSERT INTO seen_places VALUES (9, 'default', 'production', 1, NULL); INSERT INTO seen_devices VALUES (9, zeroblob(15), 1, 1, NULL, 0)",
        "INSERT INTO seen_places VALUES (9, 'default', 'production', 1, -1)",
        "INSERT INTO seen_texts VALUES (1, 1, NULL)",
        "INSERT INTO seen_places VALUES (9, 'default', 'production', 1, NULL); INSERT INTO seen_devices VALUES (9, zeroblob(16), 1, 1, NULL, 2)",
        // Keys
        "UPDATE keys SET purpose = 'other'",
        "UPDATE keys SET id = 'x' WHERE number = 1",
        "UPDATE keys SET private_key = NULL WHERE purpose = 'root'",
        "UPDATE keys SET public_key = zeroblob(1) WHERE purpose = 'signing'",
        "UPDATE keys SET sealed = 1 WHERE purpose = 'signing' AND retired_at IS NULL",
        "UPDATE keys SET sealed = 1 WHERE retired_at IS NOT NULL",
        "UPDATE keys SET sealed = 1, private_key = zeroblob(29) WHERE purpose = 'legacy'",
        "UPDATE keys SET private_key = zeroblob(61) WHERE purpose = 'root'",
        "UPDATE keys SET sealed = 2, private_key = zeroblob(90) WHERE purpose = 'legacy'",
        "UPDATE keys SET outside = 1 WHERE purpose = 'signing' AND retired_at IS NULL",
        "UPDATE keys SET outside = 1, private_key = NULL WHERE purpose = 'root'",
        "UPDATE keys SET outside = 2 WHERE retired_at IS NOT NULL",
        "INSERT INTO key_remains VALUES (2)",
        "UPDATE root_changes SET signature = zeroblob(64)",
        rootChange("1"), rootChange("0"), rootChange("2", signature: "zeroblob(63)"),
        rootChange("2", from: "00000000000000fa"), rootChange("2", to: "0000000000000001"),
        rootChange("2", from: "0000000000000001", to: "0000000000000001"),
        rootChange("2", from: "00000000000000aa"), rootChange("2", to: "00000000000000aa"),
        "UPDATE keys SET private_key = NULL WHERE purpose = 'signing'",
        "UPDATE keys SET private_key = zeroblob(1) WHERE purpose = 'signing'",
        "UPDATE keys SET retired_at = 2 WHERE retired_at IS NOT NULL",
        "UPDATE keys SET retired_at = NULL, private_key = zeroblob(32) WHERE retired_at IS NOT NULL",
        key("root"), key("signing", id: "00000000000000FE"), key("signing", id: "fe"),
        "UPDATE key_documents SET number = 1",
        """
        DELETE FROM key_documents;
        INSERT INTO key_documents VALUES ('default', 0, 1, 2, zeroblob(1), '0000000000000001', zeroblob(1))
        """,
        "UPDATE key_documents SET number = 2, key_id = '00000000000000ff'",
        "UPDATE key_documents SET number = 2, expires_at = issued_at",
        // Blobs and versions
        "INSERT INTO blobs (digest, size) VALUES (zeroblob(31), 1)",
        "INSERT INTO blobs (digest, size) VALUES (zeroblob(32), -1)",
        "INSERT INTO blobs (digest, size) SELECT digest, size + 1 FROM blobs",
        "DELETE FROM blobs",
        "UPDATE versions SET tree_hash = zeroblob(32)",
        "DELETE FROM versions",
        version(identity: "zeroblob(31)"), version(treeHash: "zeroblob(31)"), version("1.0.0-A"),
        version("2", folded: "3"),
        version("a..b"), version("-a"), version("a b"), version(entry: "''"), version(prefix: "a/"),
        version(prefix: "/a"),
        version(appConfig: "[]"), version(fileMap: "[]"), version(count: "-1"), version(size: "-1"),
        version(resources: "'[]'"),
        "UPDATE files SET crc32 = 1",
        "INSERT INTO files SELECT 1, '/absolute', digest, size, 1, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, '', digest, size, 1, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'index.html', digest, size, 1, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', digest, size, -1, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', digest, size, 4294967296, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', digest, size + 1, 1, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', zeroblob(32), 1, 1, NULL, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', digest, size, 1, digest, NULL FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', digest, size, 1, NULL, 1 FROM files LIMIT 1",
        "INSERT INTO files SELECT 1, 'new', digest, size, 1, digest, size FROM files LIMIT 1",
        "INSERT INTO files SELECT 9, 'new', digest, size, 1, NULL, NULL FROM files LIMIT 1",
        // Details of versions
        "UPDATE version_details SET git_commit = 'b'",
        "UPDATE version_details SET git_author = 'b'",
        "UPDATE version_details SET warnings = '[1]'",
        "UPDATE version_details SET notes = ''",
        "UPDATE version_details SET notes = 'a\r'",
        "UPDATE version_details SET notes = \(letters(2001))",
        "INSERT INTO version_details (version) VALUES (1)",
        "INSERT INTO version_details (version) VALUES (99)",
        "INSERT INTO version_details (version, git_commit) VALUES (4, 'a\n')",
        "INSERT INTO version_details (version, git_commit) VALUES (4, \(letters(129)))",
        "INSERT INTO version_details (version, git_author) VALUES (4, 'a\u{7F}')",
        "INSERT INTO version_details (version, git_author) VALUES (4, \(letters(201)))",
        "INSERT INTO version_details (version, warnings) VALUES (4, '[]')",
        "INSERT INTO version_details (version, warnings, waived) VALUES (4, '{}', '[]')",
        "INSERT INTO version_details (version, warnings, waived) VALUES (4, '[]', '{}')",
        "UPDATE version_requirements SET apis = '[1]'",
        "INSERT INTO version_requirements VALUES (2, NULL, NULL, '{}', '{}')",
        "INSERT INTO version_requirements VALUES (2, NULL, NULL, '[]', '[]')",
        "UPDATE retirements SET reason = 'other'",
        "INSERT INTO retirements VALUES (2, 1, 'me', 'again')",
        "INSERT INTO retirements VALUES (99, 1, 'me', 'why')",
        "INSERT INTO retirements VALUES (1, 1, 'me', '')",
        "INSERT INTO retirements VALUES (1, 1, 'me', 'a\n')",
        "INSERT INTO retirements VALUES (1, 1, 'me', \(letters(501)))",
        "INSERT INTO retirements VALUES (1, 1, '', 'why')",
        """
        INSERT INTO releases (app, package, channel, version, active_time, created_at, rank)
        VALUES ('default', 1, 'production', 2, 1, 1, 7)
        """,
        "INSERT INTO lint_waivers VALUES (1, 'source-map', '', 'why', 'me', 1)",
        "INSERT INTO lint_waivers VALUES (9, 'source-map', '', 'why', 'me', 1)",
        "INSERT INTO lint_waivers VALUES (1, 'Source', '', 'why', 'me', 1)",
        "INSERT INTO lint_waivers VALUES (1, 'source-map', '/a', 'why', 'me', 1)",
        "INSERT INTO lint_waivers VALUES (1, 'source-map', 'a', '', 'me', 1)",
        "INSERT INTO lint_waivers VALUES (1, 'source-map', 'a', 'why', '', 1)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO lint_waivers SELECT 1, 'source-map', 'a' || i, 'why', 'me', 1 FROM n
        """,
        // Artifacts
        "UPDATE artifacts SET recipe = 2",
        "INSERT INTO artifact_signatures SELECT artifact, key, zeroblob(1) FROM artifact_signatures",
        "INSERT INTO artifact_signatures VALUES (1, 99, zeroblob(1))",
        "INSERT INTO artifact_signatures VALUES (99, 1, zeroblob(1))",
        "INSERT INTO artifact_signatures VALUES (1, 1, zeroblob(0))",
        artifact(),
        artifact(base: "2", kind: "files"),
        artifact(base: "1", baseTree: "zeroblob(32)", kind: "files"),
        artifact(base: "3", baseTree: "zeroblob(32)", kind: "files"),
        artifact(base: "2", baseTree: "zeroblob(32)", kind: "full"),
        artifact(layout: "", kind: "full"),
        artifact(base: "2", baseTree: "zeroblob(32)", kind: "other"),
        artifact(base: "2", baseTree: "zeroblob(31)", kind: "files"),
        artifact(layout: "flat", tree: "zeroblob(31)"),
        artifact(layout: "flat", recipe: "0"),
        artifact(layout: "flat", kind: "full", md5: "zeroblob(15)"),
        artifact(layout: "flat", kind: "full", size: "size + 1"),
        artifact(layout: "flat", kind: "full", package: "2"),
        "INSERT INTO patch_demand VALUES (1, 1, 1, 1)",
        // Presets
        "UPDATE preset_versions SET version = 4",
        "INSERT INTO preset_versions VALUES (1, 2, 3)",
        "INSERT INTO presets (app, build, created_at) VALUES ('default', '-8', 1)",
        "INSERT INTO presets (app, build, created_at) VALUES ('default', '8..3', 1)",
        // Audiences
        "INSERT INTO device_lists (app, name, changed_at, devices) VALUES ('default', 'Staff', 1, zeroblob(16))",
        "INSERT INTO device_lists (app, name, changed_at, devices) VALUES ('default', 'staff', 1, zeroblob(15))",
        "INSERT INTO builds VALUES ('default', '', '[]', 1)",
        "INSERT INTO builds VALUES ('default', \(letters(129)), '[]', 1)",
        "INSERT INTO builds VALUES ('default', '9', '{}', 1)",
        // Releases and events
        "UPDATE releases SET created_at = created_at",
        "UPDATE releases SET release_set = NULL",
        "UPDATE releases SET revision = 3, changed_at = 1 WHERE id = 1",
        "UPDATE releases SET changed_at = 1 WHERE id = 1",
        "UPDATE releases SET course = 'paused' WHERE id = 1",
        "UPDATE releases SET course = 'other', course_since = 1 WHERE id = 1",
        """
        UPDATE releases SET course = 'rolled-back', course_since = 1 WHERE id = 1;
        UPDATE releases SET course = 'running', course_since = NULL WHERE id = 1
        """,
        "UPDATE releases SET percent = 10001", "UPDATE releases SET percent = -1",
        "UPDATE releases SET plan = '{}'", "UPDATE releases SET paused_for = -1",
        "UPDATE releases SET told_steps = -1", "UPDATE releases SET turns = -1",
        "UPDATE releases SET activated_sequence = 0 WHERE activated_sequence IS NULL",
        """
        INSERT INTO releases (app, package, channel, version, active_time, created_at, rank, salt)
        VALUES ('default', 1, 'production', 1, 1, 1, 1, zeroblob(15))
        """,
        """
        INSERT INTO releases (app, package, channel, version, active_time, created_at, rank, terms)
        VALUES ('default', 1, 'production', 1, 1, 1, 1, '[]')
        """,
        "UPDATE releases SET rank = 0 WHERE id = 1",
        "UPDATE releases SET rank = (SELECT max(rank) FROM releases)",
        "UPDATE releases SET channel = 'none'",
        "UPDATE releases SET version = 3",
        "UPDATE releases SET app = 'other'",
        "UPDATE releases SET release_set = 1", "UPDATE release_sets SET created_at = 1",
        "INSERT INTO release_sets (app, channel, created_at) VALUES ('default', 'none', 1)",
        releaseOfSet("1", createdAt: "8"), releaseOfSet("2", createdAt: "7"),
        "UPDATE releases SET activated_sequence = NULL WHERE activated_sequence IS NOT NULL",
        "UPDATE releases SET activated_sequence = 3 WHERE activated_sequence IS NULL",
        "UPDATE events SET time = 1",
        "INSERT INTO events (app, sequence, time, kind) VALUES ('default', 1, 1, 'keys-changed')",
        "INSERT INTO events (app, sequence, time, kind) VALUES ('default', 0, 1, 'keys-changed')",
        "INSERT INTO events (app, sequence, time, kind) VALUES ('default', 99, 1, 'other')",
        "INSERT INTO events (app, sequence, time, kind) VALUES ('default', 99, 1, 'activated')",
        "INSERT INTO events (app, sequence, time, kind, package) VALUES ('default', 99, 1, 'keys-changed', 1)",
        "INSERT INTO events (app, sequence, time, kind, package) VALUES ('other', 99, 1, 'package-changed', 1)",
        // Operators and reports
        "UPDATE tokens SET role = 'owner'",
        "UPDATE tokens SET secret_hash = zeroblob(1)",
        "UPDATE tokens SET app = 'none'", "UPDATE tokens SET channel = 'production'",
        "UPDATE tokens SET app = 'default', channel = 'none'", "UPDATE tokens SET revision = 0",
        "UPDATE tokens SET previous_until = 1", "UPDATE tokens SET previous_hash = zeroblob(32)",
        "UPDATE tokens SET previous_hash = zeroblob(31), previous_until = 1",
        "INSERT INTO tokens (name, role, secret_hash, created_at) SELECT '', role, secret_hash, 1 FROM tokens",
        "UPDATE idempotency_keys SET request = zeroblob(15)", "UPDATE idempotency_keys SET fingerprint = zeroblob(31)",
        "UPDATE idempotency_keys SET key = ''", "UPDATE idempotency_keys SET holder = '99'",
        "UPDATE idempotency_keys SET status = 200, body = zeroblob(0)",
        "UPDATE idempotency_keys SET fingerprint = zeroblob(32), status = 404, body = zeroblob(0)",
        "UPDATE idempotency_keys SET fingerprint = zeroblob(32), status = 200",
        "UPDATE idempotency_keys SET fingerprint = zeroblob(32), status = 200, body = zeroblob(65537)",
        "UPDATE users SET name = ''", "UPDATE users SET disabled = 2", "UPDATE users SET password = zeroblob(31)",
        "UPDATE users SET salt = zeroblob(15)", "UPDATE users SET log_n = 25", "UPDATE users SET r = 0",
        "UPDATE users SET p = 65", "UPDATE users SET revision = 0", "UPDATE users SET confirmed = 1",
        "UPDATE users SET sealed = 1", "UPDATE users SET factor = zeroblob(0)",
        """
        INSERT INTO users (name, disabled, created_at, password, salt, log_n, r, p, sealed, confirmed, revision)
        SELECT name, 0, 1, password, salt, 1, 1, 1, 0, 0, 1 FROM users
        """,
        "UPDATE user_grants SET role = 'owner'", "UPDATE user_grants SET channel = 'production'",
        "UPDATE user_grants SET app = 'none'", "UPDATE user_grants SET app = 'default', channel = 'none'",
        "UPDATE user_grants SET user_id = 99", "UPDATE user_grants SET number = 0",
        "UPDATE sessions SET user_id = 99", "UPDATE sessions SET secret_hash = zeroblob(31)",
        "UPDATE sessions SET used_at = 0",
        "UPDATE audit SET actor = 'nobody'",
        "DELETE FROM audit",
        "INSERT INTO audit (time, actor, action, subject, details) VALUES (1, '', '', '', 'x')",
        """
        INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
        SELECT app, device, event_id, version, '', 1, 1, '{}' FROM reports
        """,
        """
        INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
        VALUES ('default', 'd', 'new', 99, 'applied', 1, 1, '{}')
        """,
        """
        INSERT INTO reports (app, device, event_id, version, event, time, received_at, details)
        VALUES ('default', 'd', 'new', 1, 'applied', 1, 1, '[]')
        """,
        "UPDATE reports SET event = 'opened'",
        "INSERT INTO report_events SELECT package, name, counted_at FROM report_events",
        "INSERT INTO report_events VALUES (99, 'applied', 0)",
        "INSERT INTO report_counts SELECT version, event, 1, 1 FROM report_counts",
        "UPDATE report_counts SET devices = reports + 1",
        "UPDATE report_counts SET reports = 0, devices = 0",
        "INSERT INTO report_totals SELECT * FROM report_totals",
        total(version: "99"), total(span: "'week'"), total(start: "-1"), total(release: "-1"), total(reports: "0"),
        total(corrected: "2"), total(devices: "zeroblob(0)"), total(count: "-1"), total(durations: "zeroblob(1)"),
        total(span: "'all-time'"), total(span: "'day-summary'", release: "1"),
        "INSERT INTO report_id_segments VALUES (0, 2, 1, 1)", "INSERT INTO report_id_segments VALUES (-1, -1, 1, 1)",
        "INSERT INTO report_id_segments VALUES (1, 65535, 1, 1)",
        "INSERT INTO report_id_segments VALUES (1, 131072, 1, 1)",
        "INSERT INTO report_id_segments VALUES (1, 65536, 1, 0)",
        "INSERT INTO report_id_segments VALUES (1, 65536, 1, 65537)",
        "INSERT INTO report_ids VALUES (1, 2, zeroblob(7))", "INSERT INTO report_ids VALUES (0, 1, zeroblob(7))",
        "INSERT INTO report_ids VALUES (0, -1, zeroblob(7))", "INSERT INTO report_ids VALUES (0, 256, zeroblob(7))",
        "INSERT INTO report_ids VALUES (0, 2, zeroblob(0))", "INSERT INTO report_ids VALUES (0, 2, zeroblob(8))",
        "INSERT INTO report_id_filters VALUES (1, zeroblob(131072))", "DELETE FROM report_id_segments",
        "UPDATE report_id_filters SET bits = zeroblob(131071)", "INSERT INTO report_ids_forgotten VALUES (2, 1)",
        "INSERT INTO report_labels SELECT * FROM report_labels",
        "INSERT INTO report_labels VALUES (99, 'reason', 'x', 1)",
        "INSERT INTO report_labels VALUES (1, 'version', 'x', 1)",
        "INSERT INTO report_labels VALUES (1, 'reason', '', 1)",
        "INSERT INTO report_progress VALUES (2, 1, 1, 0)", "UPDATE report_progress SET through = 0",
        "UPDATE report_progress SET revision = -1", "UPDATE meta SET device_key = zeroblob(15)",
        // Health
        "UPDATE release_health SET release = 99", "INSERT INTO release_health SELECT * FROM release_health",
        "UPDATE release_health SET number = 0", "UPDATE release_health SET since = -1",
        "UPDATE release_health SET verdict = '[]'", "UPDATE health_steps SET release = 99",
        "UPDATE health_steps SET device_count = -1", "UPDATE health_steps SET devices = zeroblob(0)",
        "UPDATE release_health SET tripped_action = 'stop'", "UPDATE release_health SET was_stopped = 1",
        "UPDATE release_health SET tripped_action = 'halt', was_stopped = 2",
        "UPDATE apps SET health = '[]'",
        // Webhooks
        "UPDATE webhooks SET app = 'none'", "UPDATE webhooks SET kind = 'mail'",
        "UPDATE webhooks SET endpoint = zeroblob(0)", "UPDATE webhooks SET sealed = 2",
        "UPDATE webhooks SET events = '{}'", "UPDATE webhooks SET revision = 0", "UPDATE webhooks SET through = -1",
        "UPDATE webhooks SET attempts = 1", "UPDATE webhooks SET failing_since = 1",
        "UPDATE webhooks SET paused_at = 1", "UPDATE webhooks SET paused_because = 'why'",
        "UPDATE webhooks SET deliveries = -1",
        "UPDATE webhook_deliveries SET webhook = 9", "UPDATE webhook_deliveries SET number = 0",
        "UPDATE webhook_deliveries SET event = ''", "UPDATE webhook_deliveries SET milliseconds = -1",
        "UPDATE webhook_deliveries SET outcome = 'lost'",
        "INSERT INTO webhook_deliveries SELECT * FROM webhook_deliveries",
        // Adoption
        "INSERT INTO seen_days VALUES (20000)", "INSERT INTO seen_days VALUES (-1)",
        "INSERT INTO adoption VALUES (1, 'production', 20000, 2)",
        "INSERT INTO adoption VALUES (99, 'beta', 20000, 1)", "INSERT INTO adoption VALUES (1, 'beta', 20001, 1)",
        "INSERT INTO adoption VALUES (1, 'beta', 20000, 0)",
        // Retention
        "DELETE FROM prunings",
        "INSERT INTO prunings (version, pruned_at) VALUES (99, 1)",
        "INSERT INTO prunings (version, pruned_at) VALUES (3, 1)",
        "INSERT INTO unreferenced_artifacts VALUES (99, 1)",
        releaseOfPruned,
        "INSERT INTO retention_clock VALUES (2, 1)",
        // Resources
        "UPDATE resource_numbers SET told = 0", "DELETE FROM resource_numbers",
        "UPDATE resource_numbers SET digest = (SELECT digest FROM blobs ORDER BY digest LIMIT 1)",
        resourceNumber("(SELECT digest FROM blobs ORDER BY digest LIMIT 1)", channel: "beta"),
        resourceNumber("zeroblob(31)", number: 2),
        resourceNumber(number: 0), resourceNumber("zeroblob(32)", of: "a/b", number: 2),
        resourceNumber(of: "", number: 2),
        resourceNumber(number: 2, told: 2),
        "UPDATE resource_lists SET sequence = 2", "DELETE FROM resource_lists",
        """
        INSERT INTO resource_lists (app, package, channel, sequence, current) VALUES ('default', 1, 'production', -1, 1)
        """,
        """
        INSERT INTO resource_lists (app, package, channel, sequence, current, naming)
        VALUES ('default', 1, 'production', 2, 1, 'x')
        """,
        // The epoch
        "INSERT INTO meta (\"only\", epoch) VALUES (2, '0123456789abcdef')",
        "UPDATE meta SET epoch = 'x'",
    ]

    @Test(arguments: wrongRows, DatabaseKind.allCases)
    func `a wrong row is refused`(statement: String, on kind: DatabaseKind) async throws {
        let database = try await FilledDatabase.of(kind)
        let error = #expect(throws: DatabaseError.self) { try database.attempt([statement]) }
        #expect(error?.code == .constraint, "\(error?.description ?? "")")
    }

    @Test(
        arguments: [
            "UPDATE packages SET priority = 'high'",
            "INSERT INTO seen_places VALUES (9, 'default', 'production', 1, NULL); INSERT INTO seen_devices VALUES (9, zeroblob(16), 1, '[]', NULL, 0)",
            "UPDATE blobs SET digest = 1.5",
        ], DatabaseKind.allCases)
    func `a value of another type is refused`(statement: String, on kind: DatabaseKind) async throws {
        let database = try await FilledDatabase.of(kind)
        #expect(throws: DatabaseError.self) { try database.attempt([statement]) }
    }

    @Test func `notes with the character NUL are refused by SQLite, and PostgreSQL has no such texts`() async throws {
        let database = try await FilledDatabase.of(.sqlite)
        let error = #expect(throws: DatabaseError.self) {
            try database.attempt(["UPDATE version_details SET notes = 'a' || char(0)"])
        }
        #expect(error?.code == .constraint)
    }

    @Test(arguments: ["audit", "prunings", "resource_numbers", "resource_lists"])
    func `a table that only grows is not emptied at once`(table: String) async throws {
        let database = try await FilledDatabase.of(.postgresql)
        let error = #expect(throws: DatabaseError.self) { try database.attempt(["TRUNCATE \(table)"]) }
        #expect(error?.code == .constraint)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a refused row without its fault is accepted`(on kind: DatabaseKind) async throws {
        let database = try await FilledDatabase.of(kind)
        let statements = [
            Self.artifact(layout: "flat", kind: "full"),
            Self.artifact(base: "2", baseTree: "zeroblob(32)", kind: "files"),
            "INSERT INTO files SELECT 1, 'new', digest, size, 1, NULL, NULL FROM files LIMIT 1",
            "UPDATE releases SET activated_sequence = 99 WHERE activated_sequence IS NULL",
            "UPDATE key_documents SET number = 2",
            Self.key("signing"), Self.version(), Self.artifact(layout: "other", tree: "zeroblob(32)", recipe: "2"),
            Self.resourceNumber(channel: "beta"), Self.resourceNumber("zeroblob(32)", of: "b=.-_9"),
            "INSERT INTO builds VALUES ('default', \(Self.letters(128)), '[]', 1)",
            "UPDATE releases SET course = 'rolled-back', course_since = 1, revision = 2, changed_at = 1 WHERE id = 1",
            "INSERT INTO version_requirements VALUES (2, '1', NULL, '[]', '{}')",
            "UPDATE keys SET outside = 1, private_key = NULL WHERE purpose = 'signing' AND retired_at IS NULL",
            "UPDATE keys SET private_key = NULL, retired_at = 1 WHERE purpose = 'signing' AND retired_at IS NULL",
            "UPDATE keys SET private_key = zeroblob(61), sealed = 1 WHERE purpose = 'root'",
            "UPDATE keys SET private_key = zeroblob(30), sealed = 1 WHERE purpose = 'legacy'",
            "UPDATE keys SET private_key = NULL, sealed = 0, retired_at = 1 WHERE purpose = 'root'",
            "UPDATE prunings SET restored_at = 2", "INSERT INTO preset_versions VALUES (1, 2, 3)",
            Self.rootChange("2"),
            "UPDATE webhooks SET attempts = 1, failing_since = 1, paused_at = 1, paused_because = 'why'",
            "UPDATE release_health SET tripped_action = 'rollback', was_stopped = 1",
            "UPDATE health_steps SET devices = NULL",
            "UPDATE apps SET health = '{}'",
            Self.releaseOfPruned, Self.releaseOfSet("1", createdAt: "7"),
            "UPDATE version_details SET notes = \(Self.letters(1999)) || '\n'",
            "DELETE FROM version_details WHERE version = 1",
            "INSERT INTO version_details (version, git_commit) VALUES (1, \(Self.letters(128)))",
            "INSERT INTO retirements VALUES (1, 1, 'me', \(Self.letters(500)))",
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            INSERT INTO lint_waivers SELECT 1, 'source-map', 'a' || i, 'why', 'me', 1 FROM n
            """,
        ]
        #expect(throws: Never.self) { try database.attempt(statements) }
    }

    /// Returns a text of so many letters as a literal of SQL.
    private static func letters(_ count: Int) -> String { "'\(String(repeating: "a", count: count))'" }

    private static let releaseOfPruned = """
        INSERT INTO releases (app, package, channel, version, active_time, created_at, rank)
        VALUES ('default', 2, 'production', 3, 1, 1, 1)
        """

    /// Returns a change of the root key beside that of the fixture, which is from fa to the first.
    private static func total(
        version: String = "1", span: String = "'day'", start: String = "0", release: String = "0",
        reports: String = "1",
        corrected: String = "0", count: String = "1", devices: String = "zeroblob(9)", durations: String = "NULL"
    ) -> String {
        """
        INSERT INTO report_totals VALUES (\(version), \(span), \(start), 'e', \(release), 'r', '', '', \(reports),
            \(corrected), \(count), \(devices), \(durations))
        """
    }

    private static func rootChange(
        _ number: String, from old: String = "0000000000000001", to new: String = "00000000000000fd",
        signature: String = "zeroblob(64)"
    ) -> String {
        "INSERT INTO root_changes VALUES ('default', \(number), '\(old)', '\(new)', \(signature))"
    }

    /// Returns a key in use beside those of the fixture.
    private static func key(_ purpose: String, id: String = "00000000000000fe") -> String {
        """
        INSERT INTO keys (app, id, purpose, public_key, private_key, sealed, outside, created_at)
        VALUES ('default', '\(id)', '\(purpose)', zeroblob(32), zeroblob(32), 0, 0, 1)
        """
    }

    /// Returns a copy of the first version with changed columns.
    private static func version(
        _ name: String = "2", folded: String? = nil, treeHash: String = "tree_hash", identity: String = "identity",
        entry: String = "NULL", prefix: String = "/", appConfig: String = "{}", fileMap: String = "{}",
        count: String = "0", size: String = "0", resources: String = "NULL"
    ) -> String {
        """
        INSERT INTO versions (package, version, folded, tree_hash, identity, entry, url_prefix, app_config, file_map,
            file_count, total_size, created_at, resources)
        SELECT package, '\(name)', '\(folded ?? name.lowercased())', \(treeHash), \(identity), \(entry), '\(prefix)',
            '\(appConfig)', '\(fileMap)', \(count), \(size), 0, \(resources)
        FROM versions WHERE number = 1
        """
    }

    /// Returns a number of a resource beside number 1 of resource `a`, which is for a digest of zeros.
    private static func resourceNumber(
        _ digest: String = "zeroblob(32)", of resource: String = "a", channel: String = "production", number: Int = 1,
        told: Int = 1
    ) -> String {
        """
        INSERT INTO resource_numbers
        VALUES (1, '\(channel)', '\(resource)', \(number), \(digest), \(told), 'default')
        """
    }

    /// Returns a copy of the first artifact with changed columns.
    private static func artifact(
        base: String = "NULL", baseTree: String = "NULL", layout: String = "app-folder", kind: String = "full",
        tree: String = "tree", md5: String = "md5", size: String = "size", package: String = "package",
        recipe: String = "1"
    ) -> String {
        """
        INSERT INTO artifacts (package, version, kind, base, base_tree, layout, tree, blob, size, md5, recipe)
        SELECT \(package), version, '\(kind)', \(base), \(baseTree), '\(layout)', \(tree), blob, \(size), \(md5), \(recipe)
        FROM artifacts WHERE number = 1
        """
    }

    /// Returns a release of version 1 in the only set of `default`.
    private static func releaseOfSet(_ set: String, createdAt: String) -> String {
        """
        INSERT INTO releases (app, package, channel, version, active_time, created_at, rank, release_set)
        VALUES ('default', 1, 'production', 1, 7, \(createdAt), 7, \(set))
        """
    }
}
