import Domain
import Execution
import Files
import Ground
import HTTP
import Synchronization
import Transport

extension S3Client {
    /// The size above which an object is uploaded in parts, and the size of all parts but the last.
    static let partSize = 16 << 20
    /// The maximum number of parts of an object.
    static let maximumParts = 10_000
    /// The bytes of a file that are hashed at a time.
    private static let pieceSize = 256 << 10

    /// Returns the size and the date of an object; `nil` if it does not exist.
    func head(_ key: String) throws(S3Error) -> S3Object? {
        try ifExists { () throws(S3Error) in try Self.object(try send(S3Request(.head, key)).head) }
    }

    /// Returns the bytes of a small object; `nil` if it does not exist.
    func read(_ key: String) throws(S3Error) -> [UInt8]? {
        try ifExists { () throws(S3Error) in try send(S3Request(.get, key)).body }
    }

    /// Returns the result of a call; `nil` if it throws `noObject`.
    func ifExists<Value>(_ body: () throws(S3Error) -> Value) throws(S3Error) -> Value? {
        do throws(S3Error) { return try body() } catch {
            guard error == .noObject else { throw error }
            return nil
        }
    }

    /// Creates a small object unless it exists; returns whether the server says that it was created.
    ///
    /// Some stores ignore the condition, and some do not check it atomically: read the object afterwards.
    func create(_ key: String, _ bytes: [UInt8]) throws(S3Error) -> Bool {
        var request = S3Request(.put, key)
        request.fields = [(name: "content-type", value: "application/json"), (name: "if-none-match", value: "*")]
        request.body = .bytes(bytes)
        request.payload = cryptography.sha256(bytes).hex
        do throws(S3Error) { _ = try send(request) } catch {
            switch error {
            case .conditionFailed: return false
            // The server does not implement the condition.
            case .refused(status: 501, _, _):
                request.fields.removeLast()
                _ = try send(request)
            default: throw error
            }
        }
        return true
    }

    /// Uploads a file, which must not change meanwhile; the server verifies its SHA-256.
    ///
    /// A file above ``partSize`` is uploaded in parts; a failure aborts the upload.
    func put(_ key: String, file path: String, size: Int, digest: SHA256Digest) throws(S3Error) {
        guard size > Self.partSize else {
            var request = S3Request(.put, key)
            request.fields = [(name: "content-type", value: "application/octet-stream")]
            request.body = .file(path: path)
            request.size = size
            request.payload = digest.hex
            request.responseTimeout = Self.uploadTimeout
            _ = try send(request)
            return
        }
        let upload = try beginUpload(key)
        do throws(S3Error) {
            try completeUpload(
                key, upload, parts: try uploadParts(of: path, size: size, to: key, upload), size: size)
        } catch {
            // Otherwise the bucket would keep the parts; if this fails as well, a lifecycle rule removes them.
            try? abortUpload(key, upload)
            throw error
        }
    }

    /// Deletes an object; succeeds if it does not exist.
    ///
    /// - Parameters:
    ///   - deadline: The time after which no request is signed, by the clock of ``now``.
    ///   - onLost: Called if the server may delete the object at a later time, even if this call succeeds.
    func delete(_ key: String, until deadline: Timestamp? = nil, onLost: () -> Void = {}) throws(S3Error) {
        _ = try ifExists { () throws(S3Error) in
            try send(S3Request(.delete, key), until: deadline, onLost: onLost)
        }
    }

    // MARK: Many objects

    /// The number of objects that are looked up, uploaded or deleted at a time.
    static let parallelRequests = 8

    /// Calls `body` for each item on several threads; throws the first error once all have ended.
    static func forEach<Item: Sendable>(
        _ items: [Item], _ body: @Sendable (Item) throws(S3Error) -> Void
    ) throws(S3Error) {
        let state = Mutex((next: 0, failure: S3Error?.none))
        SystemThread.perform(on: min(items.count, parallelRequests), named: "larder.bucket") {
            while true {
                let item = state.withLock { state -> Item? in
                    guard state.failure == nil, state.next < items.count else { return nil }
                    defer { state.next += 1 }
                    return items[state.next]
                }
                guard let item else { return }
                do throws(S3Error) { try body(item) } catch {
                    state.withLock { state in state.failure = state.failure ?? error }
                }
            }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    // MARK: Uploads in parts

    private func beginUpload(_ key: String) throws(S3Error) -> String {
        var request = S3Request(.post, key)
        request.query = [(name: "uploads", value: "")]
        request.fields = [(name: "content-type", value: "application/octet-stream")]
        let response = try send(request)
        guard let upload = S3Document.text(of: "UploadId", in: response.body), !upload.isEmpty else {
            throw .malformed("the response to the begin of an upload in parts has no id")
        }
        return upload
    }

    /// Uploads all parts and returns their entity tags.
    private func uploadParts(
        of path: String, size: Int, to key: String, _ upload: String
    ) throws(S3Error) -> [String] {
        var tags: [String] = []
        precondition(size / Self.partSize < Self.maximumParts, "an object has more parts than S3 allows")
        for (index, start) in stride(from: 0, to: size, by: Self.partSize).enumerated() {
            let range = start..<min(start + Self.partSize, size)
            var request = S3Request(.put, key)
            request.query = [(name: "partNumber", value: String(index + 1)), (name: "uploadId", value: upload)]
            request.body = .part(path: path, range)
            request.size = range.count
            request.payload = try digest(of: path, range)
            request.responseTimeout = Self.uploadTimeout
            let response = try send(request)
            guard let tag = response.head.fields[.etag] else { throw .malformed("a part of an upload has no ETag") }
            tags.append(tag)
        }
        return tags
    }

    private func digest(of path: String, _ range: Range<Int>) throws(S3Error) -> String {
        do {
            let file = try RegularFile(path)
            let digest = try cryptography.digest(.sha256)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceSize) {
                digest.update(try file.read(at: start, upTo: min(Self.pieceSize, range.upperBound - start)))
            }
            return Hex.encode(digest.finish())
        } catch let error as SystemError {
            throw .localFile(error)
        } catch {
            throw .malformed("\(error)")
        }
    }

    private func completeUpload(
        _ key: String, _ upload: String, parts: [String], size: Int
    ) throws(S3Error) {
        let list = parts.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(S3Document.escaped(tag))</ETag></Part>"
        }
        let document = "<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>"
        var request = S3Request(.post, key)
        request.query = [(name: "uploadId", value: upload)]
        request.fields = [(name: "content-type", value: "application/xml")]
        request.body = .bytes(Array(document.utf8))
        request.payload = cryptography.sha256(Array(document.utf8)).hex
        request.responseTimeout = Self.uploadTimeout
        do throws(S3Error) {
            _ = try send(
                request,
                verifying: { (response) throws(S3Error) in
                    // The status is sent before the parts are joined, so a later failure is in the body.
                    guard let code = S3Document.code(in: response.body) else { return }
                    throw .unavailable(status: response.head.status, code: code)
                })
        } catch {
            // The response to a completion may be lost; its repetition then finds no upload.
            guard error == .noUpload else { throw error }
        }
        // A proxy can send any body with status 200.
        guard try head(key)?.size == size else {
            throw .malformed("an upload in parts was completed without the object '\(key)'")
        }
    }

    private func abortUpload(_ key: String, _ upload: String) throws(S3Error) {
        var request = S3Request(.delete, key)
        request.query = [(name: "uploadId", value: upload)]
        _ = try send(request)
    }
}
