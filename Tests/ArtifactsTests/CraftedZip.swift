import CDeflate
import Testing

/// A zip assembled field by field, so that it can be inconsistent.
struct CraftedZip {
    var entries: [Entry]
    var prefix: [UInt8] = []
    /// Bytes between the last entry and the directory.
    var gap: [UInt8] = []
    var comment: [UInt8] = []
    var suffix: [UInt8] = []
    var entryCount: UInt16?
    var directoryOffset: UInt32?
    var directorySize: UInt32?
    var disk: UInt16 = 0
    /// Whether a zip64 end and its locator precede the end, which then has the marks of zip64.
    var hasZip64End = false
    /// The number of entries in the zip64 end.
    var zip64EntryCount: UInt64?

    init(_ entries: [Entry]) { self.entries = entries }

    struct Entry {
        var name: [UInt8]
        var packed: [UInt8]
        var method: UInt16
        var flags: UInt16 = 0
        var crc32: UInt32
        var size: UInt32
        var packedSize: UInt32
        /// The file type and permissions of Unix.
        var mode: UInt32 = 0o100644
        var madeBy: UInt16 = 3 << 8 | 20
        var extra: [UInt8] = []
        /// Values of the local header that differ from the directory.
        var localName: [UInt8]?
        var localMethod: UInt16?
        var localFlags: UInt16?
        var localCRC: UInt32?
        var localSize: UInt32?
        var localPackedSize: UInt32?
        var localExtra: [UInt8] = []
        var localOffset: UInt32?
        /// A data descriptor after the packed bytes.
        var trailer: [UInt8] = []

        static func stored(_ name: String, _ bytes: [UInt8] = Array("content".utf8)) -> Entry {
            Entry(
                name: Array(name.utf8), packed: bytes, method: 0, crc32: libdeflate_crc32(0, bytes, bytes.count),
                size: UInt32(bytes.count), packedSize: UInt32(bytes.count))
        }

        static func deflated(_ name: String, _ bytes: [UInt8]) -> Entry {
            var entry = stored(name, bytes)
            entry.packed = CraftedZip.deflate(bytes)
            entry.packedSize = UInt32(entry.packed.count)
            entry.method = 8
            return entry
        }

        func with(_ change: (inout Entry) -> Void) -> Entry {
            var entry = self
            change(&entry)
            return entry
        }
    }

    func with(_ change: (inout CraftedZip) -> Void) -> CraftedZip {
        var zip = self
        change(&zip)
        return zip
    }

    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        let compressor = libdeflate_alloc_compressor(6)
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_deflate_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            count = libdeflate_deflate_compress(compressor, bytes, bytes.count, buffer.baseAddress, bound)
        }
    }

    var bytes: [UInt8] {
        var bytes = prefix
        var directory: [UInt8] = []
        for entry in entries {
            directory += centralHeader(of: entry, at: UInt32(bytes.count))
            bytes += localHeader(of: entry) + entry.packed + entry.trailer
        }
        bytes += gap
        let offset = directoryOffset ?? UInt32(bytes.count)
        let size = directorySize ?? UInt32(directory.count)
        bytes += directory
        let count = entryCount ?? UInt16(entries.count)
        if hasZip64End { bytes += zip64End(count: count, size: size, offset: offset, at: UInt64(bytes.count)) }
        bytes += little(0x0605_4B50 as UInt32) + little(disk) + little(disk)
        bytes += little(hasZip64End ? .max : count) + little(hasZip64End ? .max : count)
        bytes += little(hasZip64End ? .max : size) + little(hasZip64End ? .max : offset)
        return bytes + little(UInt16(comment.count)) + comment + suffix
    }

    private func localHeader(of entry: Entry) -> [UInt8] {
        let name = entry.localName ?? entry.name
        var bytes = little(0x0403_4B50 as UInt32) + little(20 as UInt16)
        bytes += little(entry.localFlags ?? entry.flags) + little(entry.localMethod ?? entry.method)
        bytes += little(0 as UInt16) + little(33 as UInt16)
        bytes += little(entry.localCRC ?? entry.crc32) + little(entry.localPackedSize ?? entry.packedSize)
        bytes += little(entry.localSize ?? entry.size) + little(UInt16(name.count))
        return bytes + little(UInt16(entry.localExtra.count)) + name + entry.localExtra
    }

    private func centralHeader(of entry: Entry, at offset: UInt32) -> [UInt8] {
        var bytes = little(0x0201_4B50 as UInt32) + little(entry.madeBy) + little(20 as UInt16)
        bytes += little(entry.flags) + little(entry.method) + little(0 as UInt16) + little(33 as UInt16)
        bytes += little(entry.crc32) + little(entry.packedSize) + little(entry.size)
        bytes += little(UInt16(entry.name.count)) + little(UInt16(entry.extra.count)) + little(0 as UInt16)
        bytes += little(0 as UInt16) + little(0 as UInt16) + little(entry.mode << 16)
        return bytes + little(entry.localOffset ?? offset) + entry.name + entry.extra
    }

    private func zip64End(count: UInt16, size: UInt32, offset: UInt32, at position: UInt64) -> [UInt8] {
        let count = zip64EntryCount ?? UInt64(count)
        var bytes = little(0x0606_4B50 as UInt32) + little(44 as UInt64) + little(45 as UInt16) + little(45 as UInt16)
        bytes += little(0 as UInt32) + little(0 as UInt32) + little(count) + little(count)
        bytes += little(UInt64(size)) + little(UInt64(offset))
        return bytes + little(0x0706_4B50 as UInt32) + little(0 as UInt32) + little(position) + little(1 as UInt32)
    }
}

/// A change that makes a zip inconsistent.
struct Lie<Subject>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout Subject) -> Void

    init(_ name: String, _ apply: @escaping @Sendable (inout Subject) -> Void) {
        testDescription = name
        self.apply = apply
    }
}

/// Returns the bytes of an integer in little-endian order.
func little<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
