import Domain
import Execution
import Synchronization

/// The deflation of staged blobs, on two threads if there are several blobs.
///
/// The caller's thread is one of them, so the work never waits for a busy pool. Each thread holds at most one file of
/// ``inMemoryLimit`` bytes and its stream in memory; longer files are processed in pieces, so that the process's memory
/// does not grow with an upload.
struct DeflateStage {
    let staging: any BlobStaging

    private static let threadCount = 2

    /// The size in bytes up to which libdeflate, which is faster, processes a whole file.
    static let inMemoryLimit = 2 << 20

    /// Returns the contents with their streams, by digest.
    func deflate(_ contents: [FileContent]) throws(PlatformError) -> [SHA256Digest: FileContent] {
        // Large files go first, so that no thread is left with one at the end.
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

    /// Stages a stream; only the access to the staging is locked, not the work.
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

    /// Deflates in pieces; returns `nil`, and stages nothing, as soon as the stream is no smaller than the file.
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

    /// A stream that is written to a blob, and abandoned once it is no shorter than its file.
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
