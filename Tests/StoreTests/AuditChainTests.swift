import Artifacts
import Domain
import Ground
import TestKit
import Testing

@testable import Store

/// Tests the chain of audit entries on both databases.
@Suite(.scratchDirectory, .databases)
struct AuditChainTests {
    private static let cryptography = OpenSSLCryptography()

    private func entry(_ number: Int, isRehearsal: Bool = false) -> AuditEntry {
        AuditEntry(
            time: Fixture.start.adding(milliseconds: Int64(number)), actor: "ann (#1)", action: "release.make",
            app: number == 1 ? nil : Fixture.app, subject: "news@\(number)",
            details: [.init("z", .object(["b": 2, "a": "\u{2028}\"\n\u{7F}é"])), .init("a", .number("1.50"))],
            source: .token(1, address: "192.0.2.1"), isRehearsal: isRehearsal)
    }

    private func fill(_ store: SQLStore, _ count: Int) async throws {
        for number in 0..<count { try await store.recordAudit(entry(number)) }
    }

    /// Returns what the examination of the audit log of a database finds.
    private func findings(_ database: Database) throws -> [String] {
        let examiner = StoreExaminer(
            try DataDirectory(ScratchDirectory.path, at: Fixture.start), cryptography: Self.cryptography,
            dialects: DialectList([])
        ) { _, _ throws(PlatformError) in throw PlatformError(.internalError, "no blobs") }
        var examination = Examination()
        try examiner.checkAudit(database, &examination)
        #expect(examination.notes == [])
        return examination.findings.map { finding in
            #expect(finding.code == .auditAltered)
            return finding.message
        }
    }

    private func lift(_ database: Database) throws {
        try database.executeScript(
            database.dialect == .sqlite
                ? "DROP TRIGGER audit_never_changes; DROP TRIGGER audit_never_shrinks"
                : "ALTER TABLE audit DISABLE TRIGGER USER")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `each hash is over the one before and the documented bytes of the entry`(on kind: DatabaseKind) async throws {
        let store = try kind.empty()
        #expect(try await store.auditHead() == .empty)
        try await fill(store, 2)
        let lines = [
            #"{"id":1,"time":"2026-01-01T00:00:00Z","actor":"ann (#1)","action":"release.make","app":"default","subject":"news@0","#
                + #""from":{"by":"token","token":1,"address":"192.0.2.1"},"details":{"a":1.50,"z":{"a":"\u2028\"\n\u007fé","b":2}}}"#,
            #"{"id":2,"time":"2026-01-01T00:00:00.001Z","actor":"ann (#1)","action":"release.make","subject":"news@1","#
                + #""from":{"by":"token","token":1,"address":"192.0.2.1"},"details":{"a":1.50,"z":{"a":"\u2028\"\n\u007fé","b":2}}}"#,
        ]
        var hash = [UInt8](repeating: 0, count: 32)
        for (line, recorded) in zip(lines, try await store.audit(before: nil, limit: 9).reversed()) {
            hash = Self.cryptography.sha256(hash + Array(line.utf8)).bytes
            #expect(recorded.hash?.bytes == hash)
            let shown = line.dropLast() + #","hash":"\#(Hex.encode(hash))"}"#
            #expect(recorded.json.text == String(shown))
        }
        #expect(try await store.auditHead() == AuditHead(id: 2, hash: #require(SHA256Digest(bytes: hash))))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a dry run changes neither the head nor the next id`(on kind: DatabaseKind) async throws {
        let store = try kind.empty()
        try await fill(store, 2)
        let head = try await store.auditHead()
        try await store.recordAudit(entry(7, isRehearsal: true))
        #expect(try await store.auditHead() == head)
        try await store.recordAudit(entry(8))
        let newest = try await store.audit(before: nil, limit: 9)
        #expect(newest.map(\.id) == [3, 2, 1] && newest[0].entry.subject == "news@8")
    }

    /// Returns a database with two entries that an earlier version has written.
    private func old(_ kind: DatabaseKind) throws -> Database.Location {
        let location = try kind.location()
        let database = try Database(location)
        try database.executeScript(
            """
            UPDATE meta SET audit_id = NULL, audit_hash = NULL;
            INSERT INTO audit (time, actor, action, app, subject, details)
            VALUES (1, 'server', 'app.create', 'default', 'default', '{}'), (2, 'a (#1)', 'a.b', NULL, 'c', '{"b":1,"a":"x"}')
            """)
        return location
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the first start covers the entries of earlier versions, and later starts change nothing`(
        on kind: DatabaseKind
    ) async throws {
        let location = try old(kind)
        let first = try await SQLStore(opening: location).auditHead()
        #expect(first.id == 2 && first.hash != AuditHead.empty.hash)
        do {
            let store = try SQLStore(opening: location)
            #expect(try await store.auditHead() == first)
            try await store.recordAudit(entry(0))
            let entries = try await store.audit(before: nil, limit: 9)
            #expect(entries.map { $0.hash == nil } == [false, true, true] && entries[1].entry.source == nil)
            #expect(entries[1].json["hash"] == nil && entries[1].json["from"] == nil)
        }
        let database = try Database(location)
        #expect(try database.auditStart() == first)
        #expect(try findings(database) == [])
        try lift(database)
        try database.execute("UPDATE audit SET subject = 'd' WHERE id = 1")
        let found = try findings(database)
        #expect(found.count == 1 && found[0].hasPrefix("An entry up to 2, "), "\(found)")
    }

    @Test(
        arguments: DatabaseKind.allCases,
        [
            ("UPDATE audit SET actor = 'bob' WHERE id = 3", "Entry 3 "),
            ("UPDATE audit SET details = '{}' WHERE id = 1", "Entry 1 "),
            ("UPDATE audit SET source = NULL WHERE id = 5", "Entry 5 "),
            ("UPDATE audit SET hash = NULL WHERE id = 4", "Entry 4 "),
            ("DELETE FROM audit WHERE id = 2", "Entry 3 "),
            ("DELETE FROM audit WHERE id = 1", "Entry 2 "),
            (
                "UPDATE audit SET id = 9 WHERE id = 2; UPDATE audit SET id = 2 WHERE id = 3; UPDATE audit SET id = 3 WHERE id = 9",
                "Entry 2 "
            ),
            (
                "INSERT INTO audit (id, time, actor, action, subject, details) VALUES (7, 1, 'a', 'b', 'c', '{}')",
                "Entry 7 "
            ),
            ("DELETE FROM audit WHERE id > 4", "The entries after 4 are missing: the newest one was 6."),
        ])
    func `a changed, removed or inserted entry and a cut end are found`(
        on kind: DatabaseKind, change: (statements: String, finding: String)
    ) async throws {
        let location = try kind.location()
        do { try await fill(SQLStore(opening: location), 6) }
        let database = try Database(location)
        #expect(try findings(database) == [])
        try lift(database)
        try database.executeScript(change.statements)
        let found = try findings(database)
        #expect(found.count == 1 && found[0].hasPrefix(change.finding), "\(found)")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the ids of a cut end are not used again`(on kind: DatabaseKind) async throws {
        let location = try kind.location()
        do { try await fill(SQLStore(opening: location), 3) }
        do {
            let database = try Database(location)
            try lift(database)
            try database.execute("DELETE FROM audit WHERE id > 1")
        }
        let store = try SQLStore(opening: location)
        try await store.recordAudit(entry(1))
        #expect(try await store.auditHead().id == 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a copy into the other kind of database keeps the chain, and continues it`(
        from kind: DatabaseKind
    ) async throws {
        let (sourceLocation, targetLocation) = (try old(kind), try kind.other.location())
        let head: AuditHead
        do {
            let store = try SQLStore(opening: sourceLocation)
            try await fill(store, 3)
            head = try await store.auditHead()
        }
        do {
            let (source, target) = (try Database(sourceLocation), try Database(targetLocation))
            _ = try TableCopy(source: source, target: target).run()
            #expect(try findings(target) == [])
        }
        do {
            let store = try SQLStore(opening: targetLocation)
            #expect(try await store.auditHead() == head)
            try await store.recordAudit(entry(9))
            #expect(try await store.auditHead().id == head.id + 1)
        }
        #expect(try findings(Database(targetLocation)) == [])
    }

    @Test func `nodes that append at once continue one chain, in the order of their commits`() async throws {
        let location = try DatabaseKind.postgresql.location()
        guard case .postgreSQL(let address) = location else { throw Unmet() }
        do {
            let stores = try (0..<3).map { _ in try SQLStore(opening: .postgreSQL(address.with(.shared))) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores { group.addTask { try await self.fill(store, 30) } }
                try await group.waitForAll()
            }
            #expect(try await stores[0].auditHead().id == 90)
        }
        #expect(try findings(Database(location)) == [])
    }

    private struct Unmet: Error {}
}
