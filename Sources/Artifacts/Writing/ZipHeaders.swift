import Domain

/// The headers of the zips that Larder writes (semantics.md §11), as bytes.
///
/// Nothing in them depends on the time, the machine or the order in which files come: sizes and CRC stand in the
/// local header, there are neither data descriptors nor extra fields, the time is the first that DOS knows, the
/// mode is that of a plain file. The UTF-8 flag is set where a name is not ASCII: old readers need not know it for
/// the others.
enum ZipHeaders {
    /// The number of these headers together with the way in which streams are chosen; a better way gets the next.
    static let recipe = 1

    /// What fits without zip64, which many of the clients' readers do not know.
    static let maximumEntries = 65_535
    /// The last value of a field of 32 bits is zip64's mark, so sizes and offsets end before it.
    static let maximumSize = Int(UInt32.max) - 1

    struct Entry {
        let path: TreePath
        let crc32: UInt32
        let size: Int
        /// Of the bytes in the archive; equal to `size` where the file is stored.
        let packedSize: Int
        let method: ZipFormat.Method
    }

    /// Version 2.0: deflate and folders.
    private static let versionNeeded: UInt16 = 20
    /// The same, on Unix, so that the mode counts.
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

    /// What both headers hold, from the version needed to the length of the extra field.
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
