import Domain
import FoundationEssentials
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchDirectory, .databases)
struct DataDirectoryBindingTests {
    private var path: String { "\(ScratchDirectory.path)/data" }

    private func open(
        _ purpose: DataDirectory.Purpose = .servingWithExternalMetadata
    ) throws(PlatformError) -> DataDirectory {
        try DataDirectory(path, at: Fixture.start, for: purpose)
    }

    private func address(_ location: Database.Location) throws -> PostgreSQLAddress {
        guard case .postgreSQL(let address) = location else { throw CocoaError(.featureUnsupported) }
        return address
    }

    /// Returns a database with a published version, whose connections are closed, and its blobs.
    private func published() async throws -> (PostgreSQLAddress, Set<SHA256Digest>) {
        let location = try DatabaseKind.postgresql.location()
        let store = try SQLStore(opening: location)
        try await store.addNews()
        try await store.publish(try Fixture.publishing("1.0.0", seed: 1))
        return (try address(location), try await store.blobs())
    }

    private func write(_ blobs: some Sequence<SHA256Digest>) throws {
        for blob in blobs {
            let folder = "\(path)/blobs/\(blob.hex.prefix(2))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(blob.hex)"))
        }
    }

    private func bind(_ address: PostgreSQLAddress) throws(PlatformError) {
        _ = try SQLStore(opening: address, for: open(), keys: .none)
    }

    private func refusal(of address: PostgreSQLAddress) -> String {
        let error = #expect(throws: PlatformError.self) { try bind(address) }
        #expect(error?.code == .conflict)
        return error?.message ?? ""
    }

    @Test func `a directory is bound to the database only if it has every archive of the database`() async throws {
        let (address, blobs) = try await published()
        let missing = try #require(blobs.min { $0.hex < $1.hex })
        let other = try #require(SHA256Digest(bytes: Array(repeating: 7, count: 32)))
        try write(blobs.subtracting([missing]).union([other]))
        let message = refusal(of: address)
        #expect(message.contains("\(path) lacks 1 of the \(blobs.count) archives"), "\(message)")
        #expect(message.contains("Copy the folder 'blobs'"))
        #expect(!DataDirectory.isBound(path))

        try write([missing])
        try bind(address)
        #expect(DataDirectory.isBound(path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".new") } == [])
    }

    @Test func `an empty database is not bound to a directory with archives, and stays empty`() throws {
        let location = try DatabaseKind.postgresql.blankLocation()
        try write([try #require(SHA256Digest(bytes: Array(repeating: 7, count: 32)))])
        #expect(refusal(of: try address(location)).contains("has 1 archives, and the database"))
        let tables: [String] = try Database(location.shared).values("SELECT tablename FROM pg_tables")
        #expect(!tables.contains("migrations"))
    }

    @Test func `a bound directory refuses another database`() async throws {
        try bind(try address(try DatabaseKind.postgresql.blankLocation()))
        let (other, _) = try await published()
        let before = try SQLStore(opening: .postgreSQL(other)).epoch
        let message = refusal(of: other)
        #expect(message.contains("belong to the database postgresql://"), "\(message)")
        #expect(message.contains("--database gives \(other) with the epoch \(before)"), "\(message)")
        #expect(message.contains("Give the URL of the former"))
    }

    @Test func `a bound directory refuses a database without Larder's tables, and creates none`() throws {
        try bind(try address(try DatabaseKind.postgresql.blankLocation()))
        let location = try DatabaseKind.postgresql.blankLocation()
        #expect(refusal(of: try address(location)).contains("without an epoch"))
        let tables: [String] = try Database(location.shared).values("SELECT tablename FROM pg_tables")
        #expect(!tables.contains("migrations"))
    }

    @Test func `a directory with archives and without metadata is not served, and gets no database`() throws {
        try write([try #require(SHA256Digest(bytes: Array(repeating: 7, count: 32)))])
        let error = #expect(throws: PlatformError.self) { try open(.serving) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("has 1 archives and no larder.sqlite") == true)
        #expect(error?.message.contains("--database") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(path)/larder.sqlite"))
    }
}
