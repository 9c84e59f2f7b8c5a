import Glibc
import HTTP

/// An unlinked temporary file.
final class PatternFile: Sendable {
    let number: Int32

    /// Creates a sparse file of zeros.
    init(zeroes size: Int) {
        var template = Array("/tmp/pattern-XXXXXX".utf8CString)
        number = mkstemp(&template)
        unlink(template)
        ftruncate(number, size)
    }

    /// Creates a file whose bytes show their offset.
    convenience init(size: Int) {
        self.init(zeroes: 0)
        let bytes = PatternFile.bytes(0..<size)
        _ = write(number, bytes, size)
    }

    deinit {
        close(number)
    }

    static func bytes(_ range: Range<Int>) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }
    }

    func region(_ count: Int) -> FileRegion {
        FileRegion(descriptor: number, owner: self, offset: 0, count: count)
    }
}
