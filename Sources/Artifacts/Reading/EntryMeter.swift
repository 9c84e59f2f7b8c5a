import CDeflate
import Domain

/// A check of unpacked bytes against the limits and the directory's values.
struct EntryMeter {
    private let limits: PackageLimits
    private var total = 0
    private var size = 0
    private var crc: UInt32 = 0

    init(limits: PackageLimits) { self.limits = limits }

    /// Begins the next entry.
    mutating func begin() { (size, crc) = (0, 0) }

    /// Adds bytes of an entry; throws as soon as a limit is exceeded.
    mutating func add(_ bytes: UnsafeRawBufferPointer, of record: ZipRecord) throws(PlatformError) {
        size += bytes.count
        total += bytes.count
        crc = libdeflate_crc32(crc, bytes.baseAddress, bytes.count)
        guard size <= limits.fileBytes else {
            throw ZipRefusal.fileTooLarge(limit: limits.fileBytes).error(entry: record.shownName)
        }
        guard total <= limits.totalBytes else { throw ZipRefusal.totalTooLarge(limit: limits.totalBytes).error() }
        // The packed size is reliable: these bytes lie in the file, and entries do not overlap.
        guard size <= limits.ratioFloor || size <= limits.compressionRatio * max(1, record.packedSize) else {
            throw ZipRefusal.ratioTooHigh(limit: limits.compressionRatio).error(entry: record.shownName)
        }
    }

    /// Ends the entry; throws unless its size and CRC agree with the directory.
    func finish(_ record: ZipRecord) throws(PlatformError) {
        guard size == record.size else { throw ZipRefusal.sizeMismatch.error(entry: record.shownName) }
        guard crc == record.crc32 else { throw ZipRefusal.checksum.error(entry: record.shownName) }
    }
}
