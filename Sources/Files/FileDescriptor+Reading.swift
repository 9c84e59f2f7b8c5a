import Glibc

extension FileDescriptor {
    /// Reads at an offset of the file; returns fewer bytes than `count` only at the end of the file.
    package func read(at offset: Int = 0, upTo count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            do throws(SystemError) {
                filled = try Self.fill(buffer, from: number, path, at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Reads at an offset of an open file until the buffer is full or the file ends, and returns the number of bytes
    /// read.
    ///
    /// Neither uses nor moves the file's own position.
    ///
    /// - Parameter path: The path in error messages.
    package static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, _ path: String, at offset: Int
    ) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try SystemError.check("reading", path) {
                pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            }
            guard count > 0 else { break }
            done += count
        }
        return done
    }
}
