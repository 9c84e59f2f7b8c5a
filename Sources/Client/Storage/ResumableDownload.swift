import Domain
package import Files
import Glibc
import Ground
import HTTP
package import Transport

/// A download of a file of known size that continues an earlier attempt (RFC 9110 §14.2, §13.1.5).
///
/// It does not verify the file: the parts of a resumed download may stem from different contents that the server
/// considers equal.
package struct ResumableDownload {
    /// The number of attempts.
    package static let maximumAttempts = 6
    /// The number of redirects that an attempt follows.
    package static let maximumRedirects = 5

    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case transport(TransportError)
        case refused(status: Int)
        /// The last redirect leads nowhere, to an unencrypted URL, or is one too many.
        case redirected(to: String)

        package var description: String {
            switch self {
            case .transport(let error): error.description
            case .refused(let status): "The response to the download has status \(status)."
            case .redirected(let location):
                "The download was redirected to '\(location)', which is not followed: it must be an absolute URL, "
                    + "https:// after https://, and at most the \(ResumableDownload.maximumRedirects)th redirect."
            }
        }

        /// Whether a retry of the request may succeed.
        fileprivate var isPassing: Bool {
            switch self {
            case .transport(.connectionEnded), .transport(.timedOut), .transport(.unreachable): true
            case .transport(.proxyRefused(_, let status)): status >= 500
            case .refused(let status): status >= 500 || status == 429 || status == 408 || status == 416
            default: false
            }
        }
    }

    private let url: HTTPURL
    private let path: String
    private let size: Int

    /// - Parameters:
    ///   - path: The path of the file, whose content counts as the beginning.
    ///   - size: The bytes of the complete file; a longer body is rejected.
    package init(_ url: HTTPURL, to path: String, size: Int) {
        self.url = url
        self.path = path
        self.size = size
    }

    /// Returns the path of the entity tag of the response whose bytes the file has; without it nothing is resumed.
    private static func etagPath(of path: String) -> String { path + ".etag" }

    /// Downloads the missing bytes; returns the number of bytes transferred.
    package func run(
        by client: HTTPClient, clock: any ClientClock, progress: (Int) -> Void = { _ in }
    ) throws(Failure) -> Int {
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        var received = 0
        var attempts = 0
        while true {
            attempts += 1
            do throws(Failure) {
                try self.attempt(by: client, received: &received, progress: progress)
                return received
            } catch {
                guard error.isPassing, attempts < Self.maximumAttempts else { throw error }
                clock.sleep(for: backoff.next(using: &generator))
            }
        }
    }

    /// Removes the file at a path and its entity tag.
    package static func discard(_ path: String) throws(SystemError) {
        try Folder.remove(path)
        try Folder.remove(etagPath(of: path))
    }

    private func attempt(
        by client: HTTPClient, received: inout Int, progress: (Int) -> Void
    ) throws(Failure) {
        let start: (offset: Int, etag: String?)
        do throws(SystemError) { start = try beginning() } catch { throw .transport(.localFile(error)) }
        guard start.offset < size else { return }
        var request = ClientRequest(.get, url)
        if start.offset > 0, let etag = start.etag {
            request.fields[.range] = "bytes=\(start.offset)-"
            request.fields[.ifRange] = etag
        }
        let status = try follow(request, from: start.offset, by: client, received: &received, progress: progress)
        if status == 416 {
            do throws(SystemError) { try Self.discard(path) } catch { throw .transport(.localFile(error)) }
        }
        guard status == 200 || status == 206 else { throw .refused(status: status) }
    }

    /// Returns the length and the entity tag of the existing part; removes a file that cannot be resumed.
    private func beginning() throws(SystemError) -> (offset: Int, etag: String?) {
        guard case .file(let held)? = try Disk.kind(of: path) else { return (0, nil) }
        let etag = try Disk.read(Self.etagPath(of: path), limit: 1024).map { String(decoding: $0, as: UTF8.self) }
        if held == size { return (held, etag) }
        guard held < size, etag != nil else {
            try Self.discard(path)
            return (0, nil)
        }
        return (held, etag)
    }

    /// Sends a request, and repeats it where redirects lead; returns the last status.
    ///
    /// The server may keep the file elsewhere. Another server cannot cause harm, since the file is verified.
    private func follow(
        _ request: ClientRequest, from offset: Int, by client: HTTPClient, received: inout Int,
        progress: (Int) -> Void
    ) throws(Failure) -> Int {
        var request = request
        for redirects in 0... {
            let head: ResponseHead
            do throws(TransportError) {
                head = try receive(request, from: offset, by: client, received: &received, progress: progress)
            } catch { throw .transport(error) }
            guard [301, 302, 303, 307, 308].contains(head.status) else { return head.status }
            let location = head.fields[.location] ?? ""
            guard redirects < Self.maximumRedirects, let target = try? HTTPURL(location),
                target.isSecure || !request.url.isSecure
            else { throw .redirected(to: ShownText.of(location.utf8)) }
            request.url = target
        }
        preconditionFailure("an attempt follows a bounded number of redirects")
    }

    private func receive(
        _ request: ClientRequest, from offset: Int, by client: HTTPClient, received: inout Int,
        progress: (Int) -> Void
    ) throws(TransportError) -> ResponseHead {
        let target = try SystemError.asTransport { () throws(SystemError) in try DownloadTarget(path, size: size) }
        let head = try client.exchange(
            request,
            onHead: { head throws(TransportError) in
                switch head.status {
                case 200: try begin(target, head)
                case 206:
                    guard request.fields[.range] != nil, head.contentRangeStart == offset else {
                        throw .malformedResponse("it contains another part of the file than requested")
                    }
                    try SystemError.asTransport { () throws(SystemError) in try target.begin(at: offset) }
                default: break
                }
            },
            onBody: { head, piece throws(TransportError) in
                guard head.status == 200 || head.status == 206 else { return }
                try target.append(piece)
                received += piece.count
                progress(target.count)
            })
        guard head.status != 200 && head.status != 206 || target.count == size else {
            throw .connectionEnded(peer: request.url.authority, reason: "\(size - target.count) bytes are missing")
        }
        return head
    }

    /// Stores the entity tag before the first byte that it applies to.
    private func begin(_ target: DownloadTarget, _ head: ResponseHead) throws(TransportError) {
        try SystemError.asTransport { () throws(SystemError) in
            try target.begin(at: 0)
            // A weak tag does not permit combining parts (RFC 9110 §13.1.5).
            if let etag = head.fields[.etag], !etag.hasPrefix("W/") {
                try Disk.replace(Self.etagPath(of: path), with: Array(etag.utf8))
            } else {
                try Folder.remove(Self.etagPath(of: path))
            }
        }
    }
}

/// The file that receives a download.
private final class DownloadTarget {
    private let file: FileDescriptor
    private let size: Int
    private(set) var count = 0

    init(_ path: String, size: Int) throws(SystemError) {
        file = try FileDescriptor(path, O_WRONLY | O_CREAT, mode: Disk.fileMode)
        self.size = size
    }

    func begin(at offset: Int) throws(SystemError) {
        try file.truncate(to: offset)
        count = offset
    }

    func append(_ piece: UnsafeRawBufferPointer) throws(TransportError) {
        guard count + piece.count <= size else { throw .responseTooLarge(limit: size) }
        do throws(SystemError) { try file.writeAll(piece) } catch { throw .localFile(error) }
        count += piece.count
    }
}

extension SystemError {
    /// Runs a file operation within an exchange.
    fileprivate static func asTransport<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(TransportError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .localFile(error) }
    }
}

extension ResponseHead {
    /// The offset of the first byte of a 206 response.
    fileprivate var contentRangeStart: Int? {
        guard let text = fields[.contentRange], text.hasPrefix("bytes ") else { return nil }
        return Int(text.dropFirst(6).prefix { $0 != "-" })
    }
}
