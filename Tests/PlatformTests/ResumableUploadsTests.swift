import Artifacts
import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ResumableUploadsTests {
    private static let day: Int64 = 24 * 3_600_000

    @discardableResult
    private func make(_ length: Int, in service: TestService, by author: Operator = .server) async throws -> UploadID {
        try await service.uploads.create(length: length, metadata: nil, by: author).upload.id
    }

    @discardableResult
    private func append(
        _ pieces: [[UInt8]], to id: UploadID, at offset: Int, in service: TestService, by author: Operator = .server,
        declared: Int? = nil, checksum: Checksum? = nil, endingWith error: PlatformError? = nil
    ) async throws -> UploadStatus {
        var rest = pieces[...]
        let part = ResumableUploads.Part(offset: offset, length: declared, checksum: checksum)
        return try await service.uploads.append(part, to: id, by: author) { () throws(PlatformError) in
            if let piece = rest.popFirst() { return piece }
            if let error { throw error }
            return nil
        }
    }

    @discardableResult
    private func offset(of id: UploadID, in service: TestService) throws -> Int {
        try service.uploads.status(of: id, for: .server).offset
    }

    private func bytes(of id: UploadID, in service: TestService) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: "\(service.folder)/uploads/\(id)"))).map { Array($0) }
    }

    private func publisher(_ service: TestService) async throws -> Operator {
        let secret = try await service.makeToken(.publisher)
        return try #require(try await service.tokens.authenticate(secret))
    }

    @Test func `bytes come in parts, and the upload reports its offset`() async throws {
        let service = try await TestService()
        let id = try await make(5, in: service)
        #expect(try offset(of: id, in: service) == 0)
        #expect(try await append([[1], [2, 3]], to: id, at: 0, in: service).offset == 3)
        #expect(try await append([], to: id, at: 3, in: service).offset == 3)
        let last = try await append([[4, 5]], to: id, at: 3, in: service)
        #expect(last.isWhole && last.missing == 0)
        #expect(bytes(of: id, in: service) == [1, 2, 3, 4, 5])
    }

    @Test func `an upload continues after a restart with the bytes on the disk`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        try await append([[1, 2]], to: id, at: 0, in: service)
        let next = try await service.restarted()
        #expect(try offset(of: id, in: next) == 2)
        #expect(try await append([[3, 4]], to: id, at: 2, in: next).isWhole)
        #expect(bytes(of: id, in: next) == [1, 2, 3, 4])
    }

    @Test func `the bytes before an interruption stay`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        let broken = PlatformError(.bodyIncomplete, "cut")
        let checksum = Checksum(.sha1, Array(repeating: 0, count: 20))
        #expect(
            try await code {
                try await append([[1], [2]], to: id, at: 0, in: service, checksum: checksum, endingWith: broken)
            } == .bodyIncomplete)
        #expect(try offset(of: id, in: service) == 2)
        #expect(try await append([[3, 4]], to: id, at: 2, in: service).isWhole)
        #expect(bytes(of: id, in: service) == [1, 2, 3, 4])
    }

    @Test func `an offset other than the end is refused, and leaves the upload unchanged`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        try await append([[1, 2]], to: id, at: 0, in: service)
        for wrong in [0, 1, 3, 4, 5, Int.max] {
            #expect(try await code { try await append([[9]], to: id, at: wrong, in: service) } == .wrongOffset)
        }
        #expect(bytes(of: id, in: service) == [1, 2])
    }

    /// The digests of the bytes 1, 2, 3 by Python's hashlib.
    private static let digests: [(Checksum.Algorithm, String)] = [
        (.sha256, "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"),
        (.sha1, "7037807198c22a7d2b0807371d763779a84fdfcf"),
    ]

    @Test(arguments: digests)
    func `a part with a wrong checksum is discarded as a whole`(algorithm: Checksum.Algorithm, hex: String) async throws
    {
        let service = try await TestService()
        let id = try await make(4, in: service)
        try await append([[0]], to: id, at: 0, in: service)
        let checksum = try #require(Checksum(algorithm, Hex.decode(hex) ?? []))
        for wrong in [[[1], [2, 4]], [[1, 2]], []] as [[[UInt8]]] {
            #expect(
                try await code { try await append(wrong, to: id, at: 1, in: service, checksum: checksum) }
                    == .checksumMismatch)
            #expect(bytes(of: id, in: service) == [0])
        }
        #expect(try offset(of: id, in: service) == 1)
        #expect(try await append([[1], [2, 3]], to: id, at: 1, in: service, checksum: checksum).isWhole)
        #expect(bytes(of: id, in: service) == [0, 1, 2, 3])
    }

    @Test(arguments: [nil, 3, 4])
    func `a part that exceeds the length is discarded as a whole, announced or not`(declared: Int?) async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        try await append([[0]], to: id, at: 0, in: service)
        #expect(
            try await code { try await append([[1, 2], [3, 4]], to: id, at: 1, in: service, declared: declared) }
                == .bodyTooLarge)
        #expect(try offset(of: id, in: service) == 1)
        #expect(bytes(of: id, in: service) == [0])
        #expect(try await append([[1, 2], [3]], to: id, at: 1, in: service, declared: 3).isWhole)
    }

    @Test func `one request at a time may change an upload`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        var isFirst = true
        let part = ResumableUploads.Part(offset: 0, length: nil, checksum: nil)
        var codes: [PlatformError.Code?] = []
        _ = try await service.uploads.append(part, to: id, by: .server) { () async throws(PlatformError) in
            defer { isFirst = false }
            guard isFirst else { return nil }
            codes.append(try? await code { try await append([[9]], to: id, at: 0, in: service) })
            codes.append(try? await code { try await service.uploads.delete(id, by: .server) })
            codes.append(try? await code { try await service.uploads.consume(id, by: .server) { _ in } })
            // It does not expire meanwhile.
            service.clock.advance(milliseconds: 2 * Self.day)
            codes.append((try? await service.uploads.sweep()) == 0 ? nil : .internalError)
            return [1]
        }
        #expect(codes == [.uploadLocked, .uploadLocked, .uploadLocked, nil])
        #expect(try await append([[2, 3, 4]], to: id, at: 1, in: service).isWhole)
    }

    @Test func `an upload is visible only to the token that made it`() async throws {
        let service = try await TestService()
        let (one, other) = (try await publisher(service), try await publisher(service))
        let id = try await make(4, in: service, by: one)
        for stranger in [other, Operator.server] {
            #expect(try await code { _ = try service.uploads.status(of: id, for: stranger) } == .uploadNotFound)
            #expect(
                try await code { try await append([[1]], to: id, at: 0, in: service, by: stranger) }
                    == .uploadNotFound)
            #expect(try await code { try await service.uploads.delete(id, by: stranger) } == .uploadNotFound)
        }
        try await service.uploads.delete(id, by: one)
        #expect(try await code { _ = try service.uploads.status(of: id, for: one) } == .uploadGone)
        #expect(try await code { _ = try service.uploads.status(of: id, for: other) } == .uploadNotFound)
        #expect(bytes(of: id, in: service) == nil)
    }

    @Test func `a day after its last bytes an upload is gone`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        service.clock.advance(milliseconds: Self.day - 1)
        let status = try await append([[1]], to: id, at: 0, in: service)
        #expect(status.expiresAt == service.fromNow(Self.day))
        service.clock.advance(milliseconds: Self.day - 1)
        #expect(try await service.uploads.sweep() == 0)
        #expect(try offset(of: id, in: service) == 1)
        service.clock.advance(milliseconds: 1)
        #expect(try await code { try await append([[2]], to: id, at: 1, in: service) } == .uploadGone)
        #expect(bytes(of: id, in: service) == [1])
        #expect(try await service.uploads.sweep() == 1)
        #expect(bytes(of: id, in: service) == nil)
        #expect(try await code { try offset(of: id, in: service) } == .uploadGone)
    }

    @Test func `an upload also ages while no server runs`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        service.clock.advance(milliseconds: 5)
        let kept = try await make(4, in: service)
        service.clock.advance(milliseconds: Self.day - 5)
        let next = try await service.restarted()
        #expect(try await code { try offset(of: id, in: next) } == .uploadGone)
        #expect(bytes(of: id, in: next) == nil)
        #expect(try next.uploads.status(of: kept, for: .server).expiresAt == next.fromNow(5))
    }

    @Test func `each limit admits as much as it states, and no more`() async throws {
        let limits = UploadLimits(
            uploadBytes: 10, openOfToken: 2, openUploads: 3, totalBytes: 21, bytesOfToken: 20)
        let service = try await TestService(uploadLimits: limits)
        let (one, other) = (try await publisher(service), try await publisher(service))
        #expect(try await code { try await make(11, in: service, by: one) } == .bodyTooLarge)
        let first = try await make(10, in: service, by: one)
        _ = try await make(1, in: service, by: one)
        // The limit of the token.
        #expect(try await code { try await make(1, in: service, by: one) } == .tooManyUploads)
        // The limit of all bytes together: 10, 1 and 10.
        let last = try await make(10, in: service, by: other)
        // The limit of all uploads.
        #expect(try await code { try await make(0, in: service, by: other) } == .tooManyUploads)
        try await service.uploads.delete(first, by: one)
        try await service.uploads.delete(last, by: other)
        _ = try await make(10, in: service, by: other)
        #expect(try await code { try await make(11, in: service, by: one) } == .bodyTooLarge)
        let all = try await make(10, in: service, by: other)
        try await service.uploads.delete(all, by: other)
        service.clock.advance(milliseconds: Self.day)
        // Expired uploads take no room.
        for _ in 0..<2 { _ = try await make(10, in: service, by: one) }
        #expect(try await code { try await make(2, in: service, by: other) } == .tooManyUploads)
        _ = try await make(1, in: service, by: other)
    }

    @Test func `the uploads without a byte for the longest time are evicted for a new one`() async throws {
        let limits = UploadLimits(uploadBytes: 10, openUploads: 3, totalBytes: 30, bytesOfToken: 20)
        let service = try await TestService(uploadLimits: limits)
        let (one, other) = (try await publisher(service), try await publisher(service))
        let oldest = try await make(10, in: service, by: one)
        service.clock.advance(milliseconds: 1)
        let touched = try await make(10, in: service, by: one)
        service.clock.advance(milliseconds: limits.untouched - 2)
        #expect(try await code { try await make(1, in: service, by: one) } == .tooManyUploads)
        try await append([[1]], to: touched, at: 0, in: service, by: one)
        service.clock.advance(milliseconds: 1)
        _ = try await make(10, in: service, by: one)
        #expect(try await code { _ = try service.uploads.status(of: oldest, for: one) } == .uploadGone)
        #expect(bytes(of: oldest, in: service) == nil)
        #expect(try service.uploads.status(of: touched, for: one).offset == 1)
        // If removal would not make enough room, nothing is removed.
        service.clock.advance(milliseconds: limits.untouched)
        let theirs = try await make(10, in: service, by: other)
        #expect(try await code { try await make(11, in: service, by: other) } == .bodyTooLarge)
        #expect(try service.uploads.status(of: touched, for: one).offset == 1)
        #expect(try service.uploads.status(of: theirs, for: other).offset == 0)
    }

    @Test func `uploads that come as a body count against the limits while they come`() async throws {
        let limits = UploadLimits(
            uploadBytes: 10, openOfToken: 3, openUploads: 4, totalBytes: 31, bytesOfToken: 20, untouched: 1_000_000)
        let service = try await TestService(uploadLimits: limits)
        let one = try await publisher(service)
        let uploads = service.uploads
        try await uploads.receiving(length: 10, by: one) { _ throws(PlatformError) in
            let refused = await refusal { () throws(PlatformError) in
                try await uploads.receiving(length: nil, by: one) { direct throws(PlatformError) in
                    // The limit of a token is 10 and 10.
                    try await uploads.count(10, of: direct)
                    try await uploads.count(1, of: direct)
                }
            }
            #expect(refused == .tooManyUploads)
            let tooMany = await refusal { () throws(PlatformError) in
                try await uploads.receiving(length: 0, by: one) { _ throws(PlatformError) in
                    try await uploads.receiving(length: 0, by: one) { _ throws(PlatformError) in
                        try await uploads.receiving(length: 0, by: one) { _ throws(PlatformError) in }
                    }
                }
            }
            #expect(tooMany == .tooManyUploads)
        }
        // Ended uploads take no room.
        for _ in 0..<2 { try await make(10, in: service, by: one) }
    }

    private func refusal(_ body: () async throws(PlatformError) -> Void) async -> PlatformError.Code? {
        do throws(PlatformError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `one token's uploads may use half of the limit, and at least one upload of the largest size`()
        async throws
    {
        let service = try await TestService(uploadLimits: UploadLimits(uploadBytes: 10, totalBytes: 40))
        let (one, other) = (try await publisher(service), try await publisher(service))
        for _ in 0..<2 { try await make(10, in: service, by: one) }
        #expect(try await code { try await make(1, in: service, by: one) } == .tooManyUploads)
        for _ in 0..<2 { try await make(10, in: service, by: other) }
        #expect(UploadLimits(uploadBytes: 10, totalBytes: 10).bytesOfToken == 10)
    }

    @Test func `the uploads of a revoked token are removed, except one that is being written`() async throws {
        let service = try await TestService()
        let (one, other) = (try await publisher(service), try await publisher(service))
        let (gone, written) = (try await make(1, in: service, by: one), try await make(1, in: service, by: one))
        let kept = try await make(1, in: service, by: other)
        let part = ResumableUploads.Part(offset: 0, length: nil, checksum: nil)
        _ = try await service.uploads.append(part, to: written, by: one) { () async throws(PlatformError) in
            try await service.uploads.deleteAll(of: .token(one.token ?? 0))
            return nil
        }
        #expect(bytes(of: gone, in: service) == nil)
        #expect(bytes(of: written, in: service) == [])
        #expect(bytes(of: kept, in: service) == [])
        #expect(try await code { _ = try service.uploads.status(of: gone, for: one) } == .uploadGone)
    }

    @Test func `a request without a byte does not give an upload more time`() async throws {
        let service = try await TestService()
        let id = try await make(4, in: service)
        let end = service.fromNow(Self.day)
        service.clock.advance(milliseconds: 5)
        #expect(try await append([], to: id, at: 0, in: service).expiresAt == end)
    }

    @Test func `an upload that was saved in the future has a day from now`() async throws {
        let service = try await TestService()
        service.clock.advance(milliseconds: 30 * Self.day)
        let id = try await make(4, in: service)
        service.clock.advance(milliseconds: -30 * Self.day)
        let next = try await service.restarted()
        #expect(try next.uploads.status(of: id, for: .server).expiresAt == next.fromNow(Self.day))
    }

    @Test func `if the disk is full, the stored bytes stay, and the upload continues once there is room`() async throws
    {
        let parts = HookedParts(try DiskPartStore(directory: ScratchDirectory.path))
        let service = try await TestService(parts: parts)
        let id = try await make(6, in: service)
        parts.setRoom(3)
        #expect(try await code { try await append([[1, 2], [3, 4]], to: id, at: 0, in: service) } == .storageFull)
        #expect(try offset(of: id, in: service) == 2)
        parts.setRoom(0)
        #expect(try await code { try await make(1, in: service) } == .storageFull)
        parts.setRoom(nil)
        #expect(try await append([[3, 4, 5, 6]], to: id, at: 2, in: service).isWhole)
        #expect(bytes(of: id, in: service) == [1, 2, 3, 4, 5, 6])
    }

    @Test func `bytes that may not be on the disk do not count, and are sent again`() async throws {
        let parts = HookedParts(try DiskPartStore(directory: ScratchDirectory.path))
        let service = try await TestService(parts: parts)
        let id = try await make(3, in: service)
        parts.setSaves(fail: true)
        #expect(try await code { try await append([[1, 2]], to: id, at: 0, in: service) } == .storageFailed)
        #expect(try offset(of: id, in: service) == 0)
        parts.setSaves(fail: false)
        #expect(try await append([[7]], to: id, at: 0, in: service).offset == 1)
        #expect(bytes(of: id, in: service) == [7])
    }

    @Test(
        arguments: [nil, .badPackage, .versionExists, .storageFull, .internalError] as [PlatformError.Code?])
    func `a published upload is removed, unless publishing failed`(
        error: PlatformError.Code?
    ) async throws {
        let service = try await TestService()
        let id = try await make(2, in: service)
        try await append([[1, 2]], to: id, at: 0, in: service)
        let outcome = try await code {
            try await service.uploads.consume(id, by: .server) { upload throws(PlatformError) in
                if let error { throw PlatformError(error, "no") }
            }
        }
        #expect(outcome == error)
        #expect((bytes(of: id, in: service) == nil) == (error == nil))
        if error != nil { #expect(try offset(of: id, in: service) == 2) }
    }

    @Test func `an incomplete upload is not published, and stays`() async throws {
        let service = try await TestService()
        let id = try await make(2, in: service)
        try await append([[1]], to: id, at: 0, in: service)
        #expect(try await code { try await service.uploads.consume(id, by: .server) { _ in } } == .conflict)
        #expect(try await append([[2]], to: id, at: 1, in: service).isWhole)
    }
}
