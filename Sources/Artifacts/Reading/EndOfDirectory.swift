import Domain

/// The position of the central directory by the end records (APPNOTE §4.3.14–16).
struct EndOfDirectory: Equatable {
    let entryCount: Int
    let directoryOffset: Int
    let directorySize: Int

    /// The maximum length of the comment: libarchive searches only the last 16 KiB for the end record.
    static let maximumCommentLength = 8 * 1024

    /// Finds the single end record and checks that the directory lies immediately before it.
    static func find(in file: borrowing PositionedFile) throws(PlatformError) -> EndOfDirectory {
        let position = try offset(in: file)
        guard let bytes = try file.bytes(at: position, count: ZipFormat.endLength) else {
            throw ZipRefusal.truncated.error()
        }
        let locatorPosition = position - ZipFormat.zip64LocatorLength
        if let locator = try file.bytes(at: locatorPosition, count: ZipFormat.zip64LocatorLength),
            locator.littleEndian(at: 0) == ZipFormat.zip64LocatorSignature
        {
            return try zip64(in: file, locator: locator, at: locatorPosition, beside: bytes)
        }
        guard bytes.littleEndian(UInt32.self, at: 4) == 0,
            bytes.littleEndian(UInt16.self, at: 8) == bytes.littleEndian(UInt16.self, at: 10)
        else { throw ZipRefusal.multiPart.error() }
        let end = EndOfDirectory(
            entryCount: Int(bytes.littleEndian(UInt16.self, at: 10)),
            directoryOffset: Int(bytes.littleEndian(UInt32.self, at: 16)),
            directorySize: Int(bytes.littleEndian(UInt32.self, at: 12)))
        try end.check(endsAt: position)
        return end
    }

    /// Returns the position of the last end record, the only one that may reach exactly to the end of the file.
    private static func offset(in file: borrowing PositionedFile) throws(PlatformError) -> Int {
        let start = try file.bytes(at: 0, count: min(4, file.size)) ?? []
        let looksLikeZip = start.count == 4 && start.littleEndian(at: 0) == ZipFormat.localSignature
        let tailStart = max(0, file.size - ZipFormat.endLength - Int(UInt16.max))
        let tail = try file.bytes(at: tailStart, count: file.size - tailStart) ?? []

        var last: (position: Int, reach: Int)?
        var exact = 0
        for index in stride(from: 0, through: tail.count - ZipFormat.endLength, by: 1)
        where tail[index] == UInt8(ascii: "P") && tail.littleEndian(at: index) == ZipFormat.endSignature {
            let reach = index + ZipFormat.endLength + Int(tail.littleEndian(UInt16.self, at: index + 20))
            last = (index, reach)
            exact += reach == tail.count ? 1 : 0
        }
        guard let last else { throw (looksLikeZip ? ZipRefusal.truncated : .notAZip).error() }
        guard exact <= 1 else { throw ZipRefusal.ambiguousEnd.error() }
        guard last.reach <= tail.count else { throw ZipRefusal.truncated.error() }
        guard last.reach == tail.count else { throw (exact == 1 ? ZipRefusal.ambiguousEnd : .trailingData).error() }
        guard last.reach - last.position - ZipFormat.endLength <= maximumCommentLength else {
            throw ZipRefusal.commentTooLong.error()
        }
        return tailStart + last.position
    }

    private static func zip64(
        in file: borrowing PositionedFile, locator: [UInt8], at locatorPosition: Int, beside short: [UInt8]
    ) throws(PlatformError) -> EndOfDirectory {
        let damaged = ZipRefusal.directoryDamaged("zip64 end").error()
        guard locator.littleEndian(UInt32.self, at: 4) == 0, locator.littleEndian(UInt32.self, at: 16) <= 1 else {
            throw ZipRefusal.multiPart.error()
        }
        guard let position = Int(exactly: locator.littleEndian(UInt64.self, at: 8)),
            let bytes = try file.bytes(at: position, count: ZipFormat.zip64EndLength),
            bytes.littleEndian(at: 0) == ZipFormat.zip64EndSignature,
            let length = Int(exactly: bytes.littleEndian(UInt64.self, at: 4)),
            length == locatorPosition - position - 12
        else { throw damaged }
        guard bytes.littleEndian(UInt64.self, at: 16) == 0,
            bytes.littleEndian(UInt64.self, at: 24) == bytes.littleEndian(UInt64.self, at: 32)
        else { throw ZipRefusal.multiPart.error() }
        guard let count = Int(exactly: bytes.littleEndian(UInt64.self, at: 32)),
            let size = Int(exactly: bytes.littleEndian(UInt64.self, at: 40)),
            let offset = Int(exactly: bytes.littleEndian(UInt64.self, at: 48)),
            agrees(short.littleEndian(UInt16.self, at: 10), with: count),
            agrees(short.littleEndian(UInt32.self, at: 12), with: size),
            agrees(short.littleEndian(UInt32.self, at: 16), with: offset)
        else { throw damaged }
        let end = EndOfDirectory(entryCount: count, directoryOffset: offset, directorySize: size)
        try end.check(endsAt: position)
        return end
    }

    /// Whether a short field refers to zip64 or has the same value.
    private static func agrees<Field: FixedWidthInteger>(_ field: Field, with value: Int) -> Bool {
        field == .max || Int(field) == value
    }

    private func check(endsAt position: Int) throws(PlatformError) {
        let (end, overflow) = directoryOffset.addingReportingOverflow(directorySize)
        guard !overflow, end == position else {
            // A directory at another offset than stated has been moved by data before the zip.
            throw (overflow || end > position ? ZipRefusal.directoryDamaged("offset") : .leadingData).error()
        }
    }
}
