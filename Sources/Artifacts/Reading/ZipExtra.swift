import CDeflate

/// The extra fields of a header (APPNOTE §4.5) that are interpreted here.
struct ZipExtra {
    private let fields: [(id: UInt16, bytes: [UInt8])]

    /// Reads the fields; a malformed field ends the list, and libarchive judges it.
    init(_ bytes: [UInt8]) {
        var fields: [(id: UInt16, bytes: [UInt8])] = []
        var offset = 0
        while offset + 4 <= bytes.count {
            let length = Int(bytes.littleEndian(UInt16.self, at: offset + 2))
            guard offset + 4 + length <= bytes.count else { break }
            fields.append((bytes.littleEndian(at: offset), Array(bytes[offset + 4..<offset + 4 + length])))
            offset += 4 + length
        }
        self.fields = fields
    }

    /// Returns the values of 32-bit fields, replaced in order by those of zip64 if they are marked so.
    ///
    /// Returns `nil` if a marked value is missing in zip64 or exceeds 63 bits.
    func resolve(_ values: [UInt32]) -> [Int]? {
        let wide = fields.first { $0.id == ZipFormat.Extra.zip64 }?.bytes ?? []
        var offset = 0
        var resolved: [Int] = []
        for value in values {
            guard value == ZipFormat.beyond32 else {
                resolved.append(Int(value))
                continue
            }
            guard offset + 8 <= wide.count, let whole = Int(exactly: wide.littleEndian(UInt64.self, at: offset)) else {
                return nil
            }
            resolved.append(whole)
            offset += 8
        }
        return resolved
    }

    /// Returns Info-ZIP's name in UTF-8, which is valid only for the name that it was made for.
    func unicodePath(for name: [UInt8]) -> [UInt8]? {
        guard let bytes = fields.first(where: { $0.id == ZipFormat.Extra.unicodePath })?.bytes, bytes.count > 5,
            bytes[0] == 1, bytes.littleEndian(UInt32.self, at: 1) == libdeflate_crc32(0, name, name.count)
        else { return nil }
        return Array(bytes[5...])
    }
}
