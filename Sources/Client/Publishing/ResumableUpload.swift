import Artifacts
import Domain
import Files
import HTTP

/// Sends a zip in parts, each with its checksum, and goes on where the connection broke (tus 1.0.0).
struct ResumableUpload: ~Copyable {
    /// Bytes up to which a zip is sent at once.
    static let threshold = 8 << 20
    /// Bytes of a part.
    static let partSize = 4 << 20
    /// Failures one after the other without a byte more on the server: the waits between them are one and a half to
    /// three minutes together.
    static let maximumFailures = 8

    private let file: RegularFile
    private let path: String
    private let operators: OperatorsClient
    private var backoff = Backoff()
    private var failures = 0

    /// - Parameter file: Open at `path`; it must not change meanwhile.
    init(of file: consuming RegularFile, at path: String, by operators: OperatorsClient) {
        self.file = file
        self.path = path
        self.operators = operators
    }

    /// Uploads the file, and has it published.
    ///
    /// `nil` where the server takes no parts, has no room for another upload, or has lost this one: it may still take
    /// the zip at once, and says so if it has published it already.
    ///
    /// - Parameters:
    ///   - publishing: The path of the publishing, with its query.
    ///   - progress: Told how many bytes are sent, of how many.
    consuming func publish(
        _ publishing: String, progress: (Int, Int) -> Void
    ) throws(OperatorsError) -> OperatorsClient.Answer? {
        let id: UploadID
        do throws(OperatorsError) { id = try upload(progress) } catch {
            guard error.meansAnotherWay else { throw error }
            return nil
        }
        do throws(OperatorsError) {
            guard let answer = try publish(id, publishing) else { return nil }
            // After a dry run it is still there.
            if answer.body["status"]?.string == "would-publish" { forget(id) }
            return answer
        } catch {
            abandon(id, after: error)
            throw error
        }
    }

    private mutating func upload(_ progress: (Int, Int) -> Void) throws(OperatorsError) -> UploadID {
        let id = try make()
        do throws(OperatorsError) { try sendParts(of: id, progress) } catch {
            abandon(id, after: error)
            throw error
        }
        return id
    }

    /// Has a server that can be reached forget an upload that nobody goes on with.
    private func abandon(_ id: UploadID, after error: OperatorsError) {
        guard case .refused = error else { return }
        forget(id)
    }

    /// Has the server remove an upload; where it does not, the upload's time will be over.
    private func forget(_ id: UploadID) {
        _ = try? operators.send(.delete, "/uploads/\(id)", [.tusResumable: Tus.version])
    }

    // MARK: The steps

    private mutating func make() throws(OperatorsError) -> UploadID {
        let fields: Fields = [.tusResumable: Tus.version, .uploadLength: String(file.size)]
        while true {
            do throws(OperatorsError) {
                let answer = try operators.send(.post, "/uploads", fields)
                let location = answer.head.fields[.location]?.split(separator: "/").last
                guard let id = location.flatMap({ UploadID(String($0)) }) else {
                    throw .malformedAnswer("it does not say where the upload is")
                }
                settle()
                return id
            } catch {
                try waitOut(error)
            }
        }
    }

    private mutating func sendParts(of id: UploadID, _ progress: (Int, Int) -> Void) throws(OperatorsError) {
        var offset = 0
        while offset < file.size {
            do throws(OperatorsError) {
                // What came of an earlier part, only the server knows.
                let known = failures == 0 ? offset : try ask(id)
                if known > offset { settle() }
                offset = known
                offset = try sendPart(of: id, from: offset, progress)
                settle()
            } catch {
                // A place that is not the end, or bytes that did not come as they were sent.
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
        let answer = try operators.send(
            .patch, "/uploads/\(id)",
            [
                .tusResumable: Tus.version, .contentType: Tus.mediaType, .uploadOffset: String(start),
                .uploadChecksum: "sha256 \(Base64.encode(digest.bytes))",
            ],
            body: .part(path: path, start..<end)
        ) { sent, _ in progress(start + sent, size) }
        return try offset(answer)
    }

    private func offset(_ answer: ClientResponse) throws(OperatorsError) -> Int {
        guard let offset = answer.head.fields[.uploadOffset].flatMap({ Int($0) }), (0...file.size).contains(offset)
        else { throw .malformedAnswer("it does not say how much of the upload is there") }
        return offset
    }

    /// `nil` where the upload is lost; it is also after a publishing whose answer did not arrive.
    private mutating func publish(
        _ id: UploadID, _ publishing: String
    ) throws(OperatorsError) -> OperatorsClient.Answer? {
        while true {
            do throws(OperatorsError) {
                return try operators.call(
                    .post, "\(publishing)&upload=\(id)", answerTimeout: OperatorsClient.patience)
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

    /// Waits before the next try; throws the error where that is of no use, or there were too many.
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
    /// Whether the same request, or the next one, may succeed a moment later; not where the server's disk is full.
    fileprivate func mayPass(orAfter statuses: Set<Int>) -> Bool {
        switch self {
        // The host had an address when it was asked for the package: a line that is down finds none.
        case .transport(.connectionEnded), .transport(.timedOut), .transport(.unreachable), .transport(.unresolved):
            true
        case .refused(let problem):
            [408, 423, 500, 502, 503, 504].contains(problem.status) || statuses.contains(problem.status)
                // The line stood still for longer than the server waits for a body.
                || problem.code == PlatformError.Code.bodyIncomplete.rawValue
        case .transport, .malformedAnswer: false
        }
    }

    /// Whether a server, or what is before it, does not go this way, or not on with it.
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
