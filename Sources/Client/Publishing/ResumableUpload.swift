import Artifacts
import Domain
import Files
import Ground
import HTTP
import Transport

/// An upload of a zip in checksummed parts that resumes after broken connections (tus 1.0.0).
struct ResumableUpload: ~Copyable {
    /// The size up to which a zip is sent in one request.
    static let threshold = 8 << 20
    /// The bytes of a part.
    static let partSize = 4 << 20
    /// The number of failures in a row without progress before giving up, after one and a half to three minutes of
    /// waits.
    static let maximumFailures = 8

    private let file: RegularFile
    private let path: String
    private let operators: OperatorsClient
    private var backoff = Backoff()
    private var failures = 0
    /// The memory of unfinished uploads, and the place of this one; `nil` to begin again in each run.
    private let memory: (UploadMemory, UploadMemory.Entry)?

    /// - Parameters:
    ///   - file: The file, opened at `path`; it must not change meanwhile.
    ///   - memory: The memory of unfinished uploads; `nil` for none.
    init(
        of file: consuming RegularFile, at path: String, by operators: OperatorsClient,
        remembering memory: UploadMemory?
    ) throws(SystemError) {
        if let memory {
            let digest = try file.digest()
            self.memory = (memory, memory.entry(of: digest, at: operators.server.description))
        } else {
            self.memory = nil
        }
        self.file = file
        self.path = path
        self.operators = operators
    }

    /// Uploads the file and publishes it.
    ///
    /// Returns `nil` if the server does not support parts, has no room for another upload, or has lost this one. The
    /// caller then sends the zip at once; the server detects a version that is already published.
    ///
    /// - Parameters:
    ///   - publishing: The path of the publishing route, with its query.
    ///   - progress: Called with the sent bytes and all bytes.
    consuming func publish(
        _ publishing: String, progress: (Int, Int) -> Void
    ) throws(OperatorsError) -> OperatorsClient.JSONResponse? {
        let id: UploadID
        do throws(OperatorsError) { id = try upload(progress) } catch {
            guard error.meansAnotherWay else { throw error }
            return nil
        }
        do throws(OperatorsError) {
            let published = try publish(id, publishing)
            memory.map { $0.forget($1) }
            guard let response = published else { return nil }
            // A dry run leaves the upload on the server.
            if response.body["status"]?.string == "would-publish" { forget(id) }
            return response
        } catch {
            abandon(id, after: error)
            throw error
        }
    }

    private mutating func upload(_ progress: (Int, Int) -> Void) throws(OperatorsError) -> UploadID {
        let (id, offset) = try makeOrResume()
        if offset > 0 { progress(offset, file.size) }
        memory.map { $0.remember(id, $1) }
        do throws(OperatorsError) { try sendParts(of: id, from: offset, progress) } catch {
            abandon(id, after: error)
            throw error
        }
        return id
    }

    /// Deletes an upload that the server has rejected, so that it does not count against the limits.
    private func abandon(_ id: UploadID, after error: OperatorsError) {
        guard case .refused = error else { return }
        forget(id)
    }

    /// Deletes an upload; if that fails, it expires on the server.
    private func forget(_ id: UploadID) {
        memory.map { $0.forget($1) }
        _ = try? operators.send(.delete, "/uploads/\(id)", [.tusResumable: Tus.version])
    }

    // MARK: The steps

    private mutating func makeOrResume() throws(OperatorsError) -> (UploadID, Int) {
        if let resumed = resumed() { return resumed }
        return (try make(), 0)
    }

    /// Returns the upload of an earlier run and the number of bytes that the server has; `nil` if there is none.
    private func resumed() -> (UploadID, Int)? {
        guard let memory, let id = memory.0.upload(memory.1) else { return nil }
        do throws(OperatorsError) { return (id, try ask(id)) } catch {
            // The upload expired or belongs to another token; after any other failure, the server is asked again.
            if case .refused = error { return nil }
            return (id, 0)
        }
    }

    private mutating func make() throws(OperatorsError) -> UploadID {
        let fields: Fields = [.tusResumable: Tus.version, .uploadLength: String(file.size)]
        while true {
            do throws(OperatorsError) {
                let response = try operators.send(.post, "/uploads", fields)
                let location = response.head.fields[.location]?.split(separator: "/").last
                guard let id = location.flatMap({ UploadID(String($0)) }) else {
                    throw .malformedResponse("it has no URL of the upload")
                }
                settle()
                return id
            } catch {
                try waitOut(error)
            }
        }
    }

    private mutating func sendParts(
        of id: UploadID, from start: Int, _ progress: (Int, Int) -> Void
    ) throws(OperatorsError) {
        var offset = start
        while offset < file.size {
            do throws(OperatorsError) {
                // After a failure, only the server knows how much of the part has arrived.
                let known = failures == 0 ? offset : try ask(id)
                if known > offset { settle() }
                offset = known
                offset = try sendPart(of: id, from: offset, progress)
                settle()
            } catch {
                // The server has another offset, or the checksum of the part did not match.
                try waitOut(error, orAfter: [409, 460])
            }
        }
    }

    private func ask(_ id: UploadID) throws(OperatorsError) -> Int {
        try offset(operators.send(.head, "/uploads/\(id)", [.tusResumable: Tus.version]))
    }

    private func sendPart(
        of id: UploadID, from start: Int, _ progress: (Int, Int) -> Void
    ) throws(OperatorsError) -> Int {
        let end = min(start + Self.partSize, file.size)
        guard start < end else { return start }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try file.read(at: start, upTo: end - start) } catch {
            throw .transport(.localFile(error))
        }
        let digest = OpenSSLCryptography().sha256(bytes)
        let size = file.size
        let response = try operators.send(
            .patch, "/uploads/\(id)",
            [
                .tusResumable: Tus.version, .contentType: Tus.mediaType, .uploadOffset: String(start),
                .uploadChecksum: "sha256 \(Base64.encode(digest.bytes))",
            ],
            body: .part(path: path, start..<end)
        ) { sent, _ in progress(start + sent, size) }
        return try offset(response)
    }

    private func offset(_ response: ClientResponse) throws(OperatorsError) -> Int {
        guard let offset = response.head.fields[.uploadOffset].flatMap({ Int($0) }), (0...file.size).contains(offset)
        else { throw .malformedResponse("it has no offset of the upload") }
        return offset
    }

    /// Publishes the upload; returns `nil` if the server has lost it, possibly because an earlier response was lost.
    private mutating func publish(
        _ id: UploadID, _ publishing: String
    ) throws(OperatorsError) -> OperatorsClient.JSONResponse? {
        while true {
            do throws(OperatorsError) {
                return try operators.call(
                    .post, "\(publishing)&upload=\(id)", responseTimeout: OperatorsClient.patience, isRepeated: false)
            } catch {
                if error.isOfLostUpload { return nil }
                try waitOut(error)
            }
        }
    }

    // MARK: Failures

    private mutating func settle() {
        failures = 0
        backoff.reset()
    }

    /// Waits before a retry; throws the error if a retry is useless or there were too many.
    private mutating func waitOut(
        _ error: OperatorsError, orAfter statuses: Set<Int> = []
    ) throws(OperatorsError) {
        guard error.mayPass(orAfter: statuses), failures < Self.maximumFailures else { throw error }
        failures += 1
        var generator = SystemRandomNumberGenerator()
        operators.clock.sleep(for: backoff.next(using: &generator))
    }
}

extension OperatorsError {
    /// Returns whether a retry of the request may succeed; not for a full disk of the server.
    fileprivate func mayPass(orAfter statuses: Set<Int>) -> Bool {
        switch self {
        // The host name was resolved earlier, so a failure to resolve it means that the network is down.
        case .transport(.connectionEnded), .transport(.timedOut), .transport(.unreachable), .transport(.unresolved):
            true
        case .transport(.proxyRefused(_, let status)): [502, 503, 504].contains(status)
        case .refused(let problem):
            [408, 423, 500, 502, 503, 504].contains(problem.status) || statuses.contains(problem.status)
                // The connection stalled for longer than the server waits for a body.
                || problem.code == PlatformError.Code.bodyIncomplete.rawValue
        case .transport, .malformedResponse: false
        }
    }

    /// Whether the server or a proxy does not support resumable uploads, or has ended this one.
    fileprivate var meansAnotherWay: Bool {
        guard case .refused(let problem) = self else { return false }
        return [404, 405, 410, 412, 501].contains(problem.status)
            || problem.code == PlatformError.Code.tooManyUploads.rawValue
    }

    fileprivate var isOfLostUpload: Bool {
        guard case .refused(let problem) = self, let code = problem.code else { return false }
        return [PlatformError.Code.uploadGone, .uploadNotFound].map(\.rawValue).contains(code)
    }
}
