import Dispatch
import Domain
import Synchronization

/// Makes the deflated streams of staged blobs, on two threads where there are several.
///
/// Each thread has at most one file and its stream in memory, ``Deflater/maximumInput`` bytes each.
struct DeflateStage {
    let staging: any BlobStaging

    private static let threadCount = 2

    /// The same contents with their streams, by digest.
    func deflate(_ contents: [FileContent]) throws(PlatformError) -> [SHA256Digest: FileContent] {
        // Large ones first, so that no thread is left with one at the end.
        let queue = contents.sorted { ($0.size, $0.digest) > ($1.size, $1.digest) }
        let progress = Mutex(Progress(waiting: queue))
        DispatchQueue.concurrentPerform(iterations: min(Self.threadCount, queue.count)) { _ in
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
        guard content.size > 1, content.size <= Deflater.maximumInput else {
            return progress.withLock { $0.done[content.digest] = content }
        }
        let blob = try progress.withLock { _ throws(PlatformError) in
            try ZipWorkshop.open(content.digest, size: content.size, in: staging)
        }
        let file = try MappedFile(descriptor: blob.descriptor, size: content.size)
        try deflater.deflate(file.bytes) { stream throws(PlatformError) in
            try progress.withLock { (progress) throws(PlatformError) in
                let deflated = try stream.map { bytes throws(PlatformError) in try Self.stage(bytes, in: staging) }
                progress.done[content.digest] = FileContent(
                    digest: content.digest, size: content.size, crc32: content.crc32, deflated: deflated)
            }
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
