import Domain
import Files
import Glibc

/// A read-only memory mapping of an open file, unmapped at the end of its owner's life.
struct MappedFile: ~Copyable {
    let bytes: UnsafeRawBufferPointer

    /// Maps an open file.
    ///
    /// - Parameter size: The size in bytes, at least 1; the file must not become shorter while it is mapped.
    init(descriptor: Int32, size: Int) throws(PlatformError) {
        let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let address, address != MAP_FAILED else {
            throw PlatformError(SystemError(number: errno, action: "mapping", path: "a file"))
        }
        madvise(address, size, MADV_SEQUENTIAL)
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
