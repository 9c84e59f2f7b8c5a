/// A zip of uncompressed files, made without the code under test.
package struct StoredZip {
    /// The files in the order of writing.
    package var files: [(path: String, content: [UInt8])]

    package init(_ files: KeyValuePairs<String, String>) {
        self.files = files.map { ($0.key, Array($0.value.utf8)) }
    }

    package init(_ files: [(path: String, content: [UInt8])]) {
        self.files = files
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for (path, content) in files {
            let name = Array(path.utf8)
            let common: [UInt8] =
                Self.little(20, 2) + Self.little(0x0800, 2) + Self.little(0, 4) + Self.little(33, 2)
                + Self.little(Int(Self.crc32(content)), 4) + Self.little(content.count, 4)
                + Self.little(content.count, 4) + Self.little(name.count, 2) + Self.little(0, 2)
            directory += Self.little(0x0201_4B50, 4) + Self.little(3 << 8 | 20, 2) + common
            directory += Self.little(0, 6) + Self.little(0o100644 << 16, 4) + Self.little(bytes.count, 4) + name
            bytes += Self.little(0x0403_4B50, 4) + common + name + content
        }
        let offset = bytes.count
        bytes += directory
        bytes += Self.little(0x0605_4B50, 4) + Self.little(0, 4)
        bytes += Self.little(files.count, 2) + Self.little(files.count, 2)
        return bytes + Self.little(directory.count, 4) + Self.little(offset, 4) + Self.little(0, 2)
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Returns the CRC, computed bit by bit as the PNG specification defines it.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
