import Domain
import Execution
import Synchronization

/// Makes the deflated streams of staged blobs, on two threads where there are several.
///
/// The caller's is one of them: nothing waits for a thread that something else may occupy. A thread has at most one
/// file of ``inMemoryLimit`` bytes and its stream in memory; longer files go through piece by piece, so that a large
/// upload does not grow the process.
struct DeflateStage {
    let staging: any BlobStaging

    private static let threadCount = 2

    /// Bytes of a file that libdeflate, which is faster, gets whole.
    static let inMemoryLimit = 2 << 20

    /// The same contents with their streams, by digest.
    func deflate(_ contents: [FileContent]) throws(PlatformError) -> [SHA256Digest: FileContent] {
        // Large ones first, so that no thread is left with one at the end.
        let queue = contents.sorted { ($0.size, $0.digest) > ($1.size, $1.digest) }
        let progress = Mutex(Progress(waiting: queue))
        SystemThread.perform(on: min(Self.threadCount, queue.count), named: "larder.deflate") {
            work(on: progress)
        }
        return try progress.withLock { (progress) throws(PlatformError) in
            if let failure = progress.failure { throw failure }
            return progress.done
        }
    }

    private struct Progress {
        var waiting: [FileContent]
        var done: [SHA256Digest: FileContent] = [:]
        var failure: PlatformError?

        init(waiting: [FileContent]) { self.waiting = waiting.reversed() }

        mutating func next() -> FileContent? { failure == nil ? waiting.popLast() : nil }
    }

    private func work(on progress: borrowing Mutex<Progress>) {
        do throws(PlatformError) {
            let deflater = try Deflater()
            while let content = progress.withLock({ $0.next() }) {
                try finish(content, with: deflater, in: progress)
            }
        } catch {
            progress.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// The staging is used under the lock only; the work is done outside it.
    private func finish(
        _ content: FileContent, with deflater: borrowing Deflater, in progress: borrowing Mutex<Progress>
    ) throws(PlatformError) {
        guard content.size > 1 else {
            return progress.withLock { $0.done[content.digest] = content }
        }
        let blob = try progress.withLock { _ throws(PlatformError) in
            try ZipWorkshop.open(content.digest, size: content.size, in: staging)
        }
        guard content.size <= Self.inMemoryLimit else {
            let deflated = try streamed(content, from: blob.descriptor, in: progress)
            return progress.withLock { $0.done[content.digest] = content.with(deflated) }
        }
        let file = try MappedFile(descriptor: blob.descriptor, size: content.size)
        try deflater.deflate(file.bytes) { stream throws(PlatformError) in
            try progress.withLock { (progress) throws(PlatformError) in
                let deflated = try stream.map { bytes throws(PlatformError) in try Self.stage(bytes, in: staging) }
                progress.done[content.digest] = content.with(deflated)
            }
        }
    }

    /// `nil`, and nothing staged, as soon as the stream is no smaller than the file.
    private func streamed(
        _ content: FileContent, from descriptor: Int32, in progress: borrowing Mutex<Progress>
    ) throws(PlatformError) -> DeflatedStream? {
        let deflater = try StreamDeflater()
        var stream = ShorterStream(
            blob: try progress.withLock { _ throws(PlatformError) in try HashingBlob(in: staging) }, than: content.size)
        try PositionedFile.forEachPiece(of: descriptor, upTo: content.size) { piece throws(PlatformError) in
            guard stream.isShorter else { return }
            try deflater.deflate(piece) { bytes throws(PlatformError) in try stream.write(bytes) }
        }
        guard stream.isShorter else { return nil }
        try deflater.finish { bytes throws(PlatformError) in try stream.write(bytes) }
        return try progress.withLock { _ throws(PlatformError) in try stream.finish() }
    }

    /// A stream on its way into a blob, given up once it is no shorter than its file.
    private struct ShorterStream: ~Copyable {
        private var blob: HashingBlob?
        private var size = 0
        private let limit: Int

        init(blob: consuming HashingBlob, than limit: Int) {
            self.blob = consume blob
            self.limit = limit
        }

        var isShorter: Bool { size < limit }

        mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
            size += bytes.count
            if isShorter { try blob?.write(bytes) }
        }

        mutating func finish() throws(PlatformError) -> DeflatedStream? {
            guard isShorter, let blob = blob.take() else { return nil }
            let (digest, size) = try blob.finish()
            return DeflatedStream(digest: digest, size: size)
        }
    }

    private static func stage(
        _ bytes: UnsafeRawBufferPointer, in staging: any BlobStaging
    ) throws(PlatformError) -> DeflatedStream {
        var blob = try HashingBlob(in: staging)
        try blob.write(bytes)
        let (digest, size) = try blob.finish()
        return DeflatedStream(digest: digest, size: size)
    }
}

extension FileContent {
    fileprivate func with(_ stream: DeflatedStream?) -> FileContent {
        FileContent(digest: digest, size: size, crc32: crc32, deflated: stream)
    }
}
