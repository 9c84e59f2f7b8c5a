package import Domain
import Execution
import Files
import Glibc
import Synchronization

/// A spool of reports in a file of the data directory (docs/formats/report-spool.md).
///
/// An actor on a thread of its own, because every call blocks.
package actor FileReportSpool: ReportSpool {
    /// The name of the file in the data directory.
    package static let fileName = "reports.spool"
    /// The default limit on the bytes of the file.
    package static let defaultLimit = 64 << 20
    /// The bytes before the first record: the mark, and the offset of the oldest record with its checksum.
    static let headCount = 32
    private static let mark: [UInt8] = Array("LSPOOL".utf8) + [0, 1]

    /// The position of a record in the file.
    private struct Position {
        let end: Int
        let reports: Int
    }

    private let path: String
    private let file: FileDescriptor
    private let limit: Int
    /// The offset of the oldest record.
    private var start: Int
    /// The offset after the newest record.
    private var end: Int
    private var reports: Int
    /// The ends of damaged records by their offsets; a whole record follows each.
    private var damaged: [Int: Int]
    /// The records that were read last, in order from the oldest one.
    private var read: [Position] = []
    /// Whether an append failed and its bytes could not be removed.
    private var isUnwritable = false
    private nonisolated let published: Mutex<ReportSpoolFigures>
    private nonisolated let executor = SerialWorkExecutor(label: "larder.spool")

    /// The number of bytes after the last whole record, which were discarded when the file was opened.
    package nonisolated let discarded: Int
    /// The damaged records that were found when the file was opened.
    package nonisolated let losses: SpoolLosses
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    package nonisolated var figures: ReportSpoolFigures { published.withLock { $0 } }

    /// Opens the spool of a data directory and discards what follows the last whole record; blocks.
    ///
    /// - Parameter limit: The limit on the bytes of the file; 0 admits no report, while the present ones can be read.
    package init(in folder: String, limit: Int) throws(PlatformError) {
        self.limit = limit
        path = "\(folder)/\(Self.fileName)"
        do {
            let isNew = access(path, F_OK) != 0
            let file = try FileDescriptor.ofOwnFile(path, O_RDWR | O_CREAT, mode: 0o600)
            let size = try file.measure().size
            guard let content = try Self.examine(file, size: size) else {
                throw PlatformError(
                    .conflict,
                    "\(path) is no spool of reports that this larder can read. Start the larder that wrote it, or move "
                        + "the file elsewhere.")
            }
            (start, end, reports) = (content.start, content.end, content.reports)
            (damaged, losses) = (content.damaged, content.losses)
            try file.truncate(to: end)
            // The stored offset may be behind the end, which the next records would reach.
            try Self.write(start: start, to: file)
            if isNew { try Folder.sync(folder) }
            discarded = max(0, size - end)
            published = Mutex(ReportSpoolFigures(reports: reports, bytes: end - Self.headCount))
            self.file = file
        } catch {
            throw PlatformError(storing: error)
        }
    }

    package func append(_ requests: [[Report]]) throws(PlatformError) -> Int {
        guard !isUnwritable else {
            throw PlatformError(.storageFailed, "The spool of reports cannot be written: restart the server.")
        }
        var bytes: [UInt8] = []
        var added = 0
        var count = 0
        for request in requests {
            let record = ReportRecord(request).bytes
            guard record.count <= ReportRecord.headCount + ReportRecord.contentLimit,
                end + bytes.count + record.count <= limit
            else { break }
            bytes += record
            added += request.count
            count += 1
        }
        guard count > 0 else { return 0 }
        do throws(SystemError) {
            try file.writeAll(bytes)
            try file.syncData()
        } catch {
            // After a failed sync the bytes may be on the disk or not.
            do throws(SystemError) { try file.truncate(to: end) } catch { isUnwritable = true }
            throw PlatformError(storing: error)
        }
        end += bytes.count
        reports += added
        publish()
        return count
    }

    package func oldest(upTo count: Int) throws(PlatformError) -> [[Report]] {
        read = []
        var requests: [[Report]] = []
        var taken = 0
        var offset = start
        do {
            while offset < end {
                if let next = damaged[offset] {
                    offset = next
                    continue
                }
                let head = try Self.head(at: offset, of: file)
                if let head, !requests.isEmpty, taken + head.reports > count { break }
                let content = try head.map { try file.read(at: offset + ReportRecord.headCount, upTo: $0.length) }
                // Every other record was whole when the file was opened or the record was appended.
                guard let head, let content, let record = ReportRecord(head, content: content) else {
                    // The ones before it can be stored.
                    guard requests.isEmpty else { break }
                    throw PlatformError(.storageFailed, "The spool of reports \(path) was changed. Restart the server.")
                }
                requests.append(record.reports)
                taken += head.reports
                offset += ReportRecord.headCount + head.length
                read.append(Position(end: offset, reports: head.reports))
            }
        } catch {
            throw PlatformError(storing: error)
        }
        return requests
    }

    package func removeOldest(_ count: Int) throws(PlatformError) {
        precondition(count <= read.count, "only records that were read are removed")
        guard count > 0 else { return }
        let removed = read.prefix(count)
        read.removeFirst(count)
        do throws(SystemError) {
            if let last = removed.last, last.end < end {
                try Self.write(start: last.end, to: file)
                start = last.end
                noteRemoved(removed)
            } else {
                // Emptied before the offset changes: an offset behind the end stands for an empty spool.
                try file.truncate(to: Self.headCount)
                (start, end) = (Self.headCount, Self.headCount)
                // New records begin at the same offsets.
                damaged = [:]
                noteRemoved(removed)
                try Self.write(start: start, to: file)
            }
        } catch {
            // Records that were appended now could lie before the stored offset.
            isUnwritable = true
            throw PlatformError(storing: error)
        }
    }

    private func noteRemoved(_ removed: some Sequence<Position>) {
        reports -= removed.reduce(0) { $0 + $1.reports }
        publish()
    }

    private func publish() {
        let figures = ReportSpoolFigures(reports: reports, bytes: end - Self.headCount)
        published.withLock { $0 = figures }
    }
}

/// The damaged records of a spool of reports that are skipped.
package struct SpoolLosses: Sendable, Equatable {
    package var records: Int
    /// The number of their reports, as their heads state.
    package var reports: Int
    package var bytes: Int

    package init(records: Int = 0, reports: Int = 0, bytes: Int = 0) {
        self.records = records
        self.reports = reports
        self.bytes = bytes
    }
}

extension FileReportSpool {
    /// The records of a spool's file.
    fileprivate struct Content {
        /// The offset of the oldest record.
        var start: Int
        /// The offset after the last whole record.
        var end: Int
        /// The reports of whole records.
        var reports = 0
        var damaged: [Int: Int] = [:]
        var losses = SpoolLosses()
    }

    /// Returns the number of reports in the spool of a data directory; `nil` without a readable spool.
    package static func count(in folder: String) -> Int? {
        do {
            let file = try RegularFile("\(folder)/\(fileName)")
            return try examine(file.descriptor, size: file.descriptor.measure().size)?.reports
        } catch {
            return nil
        }
    }

    /// Writes the head, durably, with all that was written before.
    private static func write(start: Int, to file: borrowing FileDescriptor) throws(SystemError) {
        var bytes = mark
        bytes.append(littleEndian: UInt64(start))
        bytes.append(littleEndian: ~UInt64(start))
        bytes += Array(repeating: 0, count: headCount - bytes.count)
        try bytes.span.withUnsafeBytes { (bytes) throws(SystemError) in
            try file.writeAll(bytes) { pwrite($0, $1, $2, 0) }
        }
        try file.syncData()
    }

    private static func head(
        at offset: Int, of file: borrowing FileDescriptor
    ) throws(SystemError) -> ReportRecord.Head? {
        ReportRecord.Head(try file.read(at: offset, upTo: ReportRecord.headCount)[...])
    }

    /// Returns the records of a file; `nil` for a file of another format.
    private static func examine(_ file: borrowing FileDescriptor, size: Int) throws(SystemError) -> Content? {
        // A crash may have torn the head of a new file.
        guard size >= headCount else { return Content(start: headCount, end: headCount) }
        let bytes = try file.read(upTo: headCount)
        guard bytes.starts(with: mark) else {
            // A new file is extended before its head is written.
            let isNew = size == headCount && bytes.allSatisfy { $0 == 0 }
            return isNew ? Content(start: headCount, end: headCount) : nil
        }
        let stored = UInt64(littleEndianBytes: bytes[8..<16])
        let isValid = UInt64(littleEndianBytes: bytes[16..<24]) == ~stored
        // Without a valid offset all records are stored again, which counts no report twice.
        var start = isValid ? max(headCount, Int(clamping: stored)) : headCount
        // The spool was emptied.
        if start > size { start = headCount }
        var content = Content(start: start, end: start)
        // Damaged records count only once a whole one follows: until then they are the end that a crash tore.
        var (offset, passed) = (start, [(offset: Int, end: Int, reports: Int)]())
        while offset < size, let head = try head(at: offset, of: file) {
            let end = offset + ReportRecord.headCount + head.length
            let bytes = try file.read(at: offset + ReportRecord.headCount, upTo: head.length)
            if ReportRecord(head, content: bytes) == nil {
                passed.append((offset, end, head.reports))
            } else {
                for record in passed { content.skip(record.offset..<record.end, reports: record.reports) }
                passed = []
                content.end = end
                content.reports += head.reports
            }
            offset = end
        }
        return content
    }
}

extension FileReportSpool.Content {
    fileprivate mutating func skip(_ range: Range<Int>, reports: Int) {
        damaged[range.lowerBound] = range.upperBound
        losses.records += 1
        losses.reports += reports
        losses.bytes += range.count
    }
}
