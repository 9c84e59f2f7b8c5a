import Domain

/// The headers of the zips that Larder writes (semantics.md §11).
///
/// They do not depend on the time, the machine or the order of the files: sizes and CRC are in the local header, there
/// are neither data descriptors nor extra fields, the time is the earliest of DOS, and the mode is that of a plain
/// file. The UTF-8 flag is set only for names that are not ASCII, since old readers may not know it.
enum ZipHeaders {
    /// The version of these headers and of the choice of streams; every change of the output gets the next number.
    static let recipe = 1

    /// The maximum without zip64, which many readers of clients do not support.
    static let maximumEntries = 65_535
    /// The maximum size and offset: the largest 32-bit value marks zip64.
    static let maximumSize = Int(UInt32.max) - 1

    struct Entry {
        let path: TreePath
        let crc32: UInt32
        let size: Int
        /// The number of bytes in the archive; equal to `size` if the file is stored.
        let packedSize: Int
        let method: ZipFormat.Method
    }

    /// Version 2.0: deflate and folders.
    private static let versionNeeded: UInt16 = 20
    /// Version 2.0 on Unix, so that readers use the mode.
    private static let versionMadeBy: UInt16 = 3 << 8 | 20
    /// 1980-01-01, 00:00.
    private static let date: UInt16 = 1 << 5 | 1
    private static let mode: UInt32 = 0o100644

    static func localHeader(of entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: ZipFormat.localSignature)
        bytes += common(entry)
        bytes += entry.path.text.utf8
        return bytes
    }

    static func centralHeader(of entry: Entry, localOffset: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: ZipFormat.centralSignature)
        bytes.append(littleEndian: versionMadeBy)
        bytes += common(entry)
        bytes.append(littleEndian: UInt16(0))  // comment
        bytes.append(littleEndian: UInt16(0))  // disk
        bytes.append(littleEndian: UInt16(0))  // internal attributes
        bytes.append(littleEndian: mode << 16)
        bytes.append(littleEndian: UInt32(localOffset))
        bytes += entry.path.text.utf8
        return bytes
    }

    static func end(entries: Int, directoryOffset: Int, directorySize: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: ZipFormat.endSignature)
        bytes.append(littleEndian: UInt32(0))  // disks
        bytes.append(littleEndian: UInt16(entries))
        bytes.append(littleEndian: UInt16(entries))
        bytes.append(littleEndian: UInt32(directorySize))
        bytes.append(littleEndian: UInt32(directoryOffset))
        bytes.append(littleEndian: UInt16(0))  // comment
        return bytes
    }

    /// Returns the fields that both headers share, from the version needed to the length of the extra field.
    private static func common(_ entry: Entry) -> [UInt8] {
        let name = entry.path.text.utf8
        var bytes: [UInt8] = []
        bytes.append(littleEndian: versionNeeded)
        bytes.append(littleEndian: name.allSatisfy { $0 < 0x80 } ? 0 : ZipFormat.Flag.utf8)
        bytes.append(littleEndian: entry.method.rawValue)
        bytes.append(littleEndian: UInt16(0))  // time
        bytes.append(littleEndian: date)
        bytes.append(littleEndian: entry.crc32)
        bytes.append(littleEndian: UInt32(entry.packedSize))
        bytes.append(littleEndian: UInt32(entry.size))
        bytes.append(littleEndian: UInt16(name.count))
        bytes.append(littleEndian: UInt16(0))  // extra field
        return bytes
    }
}
