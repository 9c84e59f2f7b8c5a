import Glibc

/// A buffer that gathers small responses, so that one call sends them all.
///
/// Each loop has one; it is empty whenever the loop switches to another connection.
struct OutputBuffer: ~Copyable {
    private let storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        storage = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    var room: Int { storage.count - count }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    /// Appends bytes, for which there has to be room.
    @inline(__always)
    mutating func append(_ bytes: [UInt8]) {
        precondition(bytes.count <= room)
        bytes.withUnsafeBytes { source in
            guard let from = source.baseAddress, let to = storage.baseAddress else { return }
            memcpy(to + count, from, source.count)
        }
        count += bytes.count
    }

    mutating func removeAll() {
        count = 0
    }
}
