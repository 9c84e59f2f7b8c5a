import Artifacts
import Dialects
import Domain
import FoundationEssentials
import Glibc
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// The findings of `larder doctor`.
enum DataExamination {
    static func of(_ folder: String) throws -> Examination {
        let directory = try DataDirectory(folder, at: Timestamp(milliseconds: 0))
        return try StoreExaminer(
            directory, cryptography: OpenSSLCryptography(), dialects: DialectList(allDialects())
        ) { (descriptor, size) throws(PlatformError) in
            try SHA256Hasher.digest(of: descriptor, size: size)
        }.examine()
    }

    static func findings(of service: TestService) throws -> [Finding] { try of(service.folder).findings }
}

@Suite(.scratchMemory)
struct ExaminationTests {
    private func shipped() async throws -> TestService {
        let service = try await TestService()
        try await service.ship("1.0.0")
        service.clock.advance(milliseconds: 1)
        try await service.ship("2.0.0")
        return service
    }

    private func examine(
        _ service: TestService, after script: String = ""
    ) throws -> [Finding.Code] {
        let database = try Database(.file(service.folder + "/larder.sqlite"))
        try database.executeScript("PRAGMA foreign_keys = OFF; PRAGMA writable_schema = OFF;" + script)
        let examination = try DataExamination.of(service.folder)
        #expect(examination.isSound == examination.findings.isEmpty)
        #expect(examination.findings.allSatisfy { $0.message.hasSuffix(".") && !$0.subject.isEmpty })
        return examination.findings.map(\.code)
    }

    private func path(_ digest: SHA256Digest, _ service: TestService) -> String {
        "\(service.folder)/blobs/\(digest.hex.prefix(2))/\(digest.hex)"
    }

    private func archive(_ service: TestService) throws -> SHA256Digest {
        try #require(try service.entry()?.current).version.full.artifact.blob
    }

    @Test func `a sound directory has no findings, and all of it was examined`() async throws {
        let service = try await shipped()
        let examination = try DataExamination.of(service.folder)
        #expect(examination.findings == [] && examination.isSound)
        #expect(try await examination.blobs == service.store.blobs().count)
        #expect(examination.bytes > 40_000)
        #expect(examination.versions == 2)
        #expect(examination.artifacts >= 3 && examination.signatures == examination.artifacts)
    }

    @Test func `a blob that is missing, cut short or changed is found, with the version that needs it`() async throws {
        let service = try await shipped()
        let path = path(try archive(service), service)
        let bytes = try #require(FileManager.default.contents(atPath: path))
        try Data(bytes.dropLast()).write(to: URL(filePath: path))
        #expect(try examine(service) == [.blobSize])
        var changed = bytes
        changed[changed.count / 2] ^= 1
        try changed.write(to: URL(filePath: path))
        #expect(try examine(service) == [.blobDamaged])
        try FileManager.default.removeItem(atPath: path)
        #expect(try examine(service) == [.blobMissing])
        #expect(try DataExamination.findings(of: service).first?.message.contains("news 2.0.0") == true)
    }

    @Test func `an unreferenced blob is noted, and is not a finding`() async throws {
        let service = try await shipped()
        let digest = try #require(SHA256Digest(bytes: Array(repeating: 7, count: 32)))
        try Data([1]).write(to: URL(filePath: path(digest, service)))
        let examination = try DataExamination.of(service.folder)
        #expect(examination.isSound && examination.notes.count == 1)
        #expect(examination.notes.first?.contains(": 1.") == true)
    }

    @Test(arguments: [
        ("DELETE FROM files WHERE version = 1 AND path = 'index.html'", [Finding.Code.treeDiffers]),
        ("DELETE FROM artifact_signatures WHERE artifact = 1", [.signatureMissing]),
        ("UPDATE artifact_signatures SET value = zeroblob(64) WHERE artifact = 1", [.signatureWrong, .signatureWrong]),
        ("UPDATE migrations SET checksum = 1 WHERE number = 1", [.migrationAltered]),
        ("DELETE FROM channels", Array(repeating: .referenceBroken, count: 6)),
        (#"UPDATE packages SET dialects = '["info-json","other"]'"#, [.dialectUnknown]),
        ("DELETE FROM artifact_signatures; DELETE FROM artifacts", [.archiveMissing, .archiveMissing]),
    ])
    func `inconsistent metadata are found`(_ script: String, _ codes: [Finding.Code]) async throws {
        let found = try examine(try await shipped(), after: script)
        #expect(Set(found) == Set(codes))
    }

    @Test func `a damaged database is a finding, not a failure`() async throws {
        let service = try await shipped()
        let copy = service.folder + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        let database = try Database(.file(service.folder + "/larder.sqlite"))
        try database.execute("VACUUM INTO \(copy + "/larder.sqlite")")
        var bytes = try #require(FileManager.default.contents(atPath: copy + "/larder.sqlite"))
        for offset in stride(from: 3 * 4096, to: bytes.count, by: 4096) { bytes[offset] ^= 0xFF }
        try bytes.write(to: URL(filePath: copy + "/larder.sqlite"))
        let codes = try DataExamination.of(copy).findings.map(\.code)
        #expect(!codes.isEmpty && Set(codes) == [.databaseDamaged])
    }

    @Test func `a database of another schema is not examined`() async throws {
        let service = try await shipped()
        let database = try Database(.file(service.folder + "/larder.sqlite"))
        try database.executeScript("PRAGMA user_version = 1")
        let older = #expect(throws: PlatformError.self) { try DataExamination.of(service.folder) }
        #expect(older?.message.contains("schema 1") == true)
        try database.executeScript("PRAGMA user_version = 999")
        let newer = #expect(throws: PlatformError.self) { try DataExamination.of(service.folder) }
        #expect(newer?.message.contains("schema 999") == true)
    }

    @Test func `a directory in use is not examined, and the error names the process`() async throws {
        let service = try await shipped()
        let owner = try DataDirectory(service.folder, at: Timestamp(milliseconds: 0))
        let error = #expect(throws: PlatformError.self) { try DataExamination.of(service.folder) }
        #expect(error?.code == .busy && error?.message.contains("process \(getpid())") == true)
        withExtendedLifetime(owner) {}
    }
}
