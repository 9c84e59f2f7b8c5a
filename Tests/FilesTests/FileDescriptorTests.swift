import Files
import Glibc
import TestKit
import Testing

@Suite(.scratchDirectory)
struct FileDescriptorTests {
    private var path: String { "\(ScratchDirectory.path)/file" }

    @Test func `a write that is cut short or interrupted continues`() throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let file = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        var calls = 0
        try bytes.withUnsafeBytes { bytes in
            try file.writeAll(bytes) { descriptor, start, count in
                calls += 1
                if calls.isMultiple(of: 2) {
                    errno = EINTR
                    return -1
                }
                return write(descriptor, start, min(count, 300))
            }
        }
        #expect(calls == 7)
        #expect(try file.read(upTo: 2000) == bytes)
    }

    @Test func `a full disk is known by its error`() throws {
        let file = try FileDescriptor("/dev/full", O_WRONLY)
        let error = #expect(throws: SystemError.self) { try file.writeAll([1]) }
        #expect(error?.isStorageFull == true)
    }

    @Test func `another error names the action and the path`() {
        let error = #expect(throws: SystemError.self) { _ = try FileDescriptor(path, O_RDONLY) }
        #expect(error == SystemError(number: ENOENT, action: "opening", path: path))
    }

    @Test func `a descriptor is closed at its end, unless it was given away`() throws {
        let reader: Int32
        do {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            reader = ends[0]
            // The pipe's writing end, opened again and then closed at its original descriptor.
            let writer = try FileDescriptor("/proc/self/fd/\(ends[1])", O_WRONLY)
            close(ends[1])
            try writer.writeAll([7])
        }
        var byte: UInt8 = 0
        #expect(read(reader, &byte, 1) == 1)
        // The end of the file: the pipe has no writer any more.
        #expect(read(reader, &byte, 1) == 0)
        close(reader)

        let given = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600).release()
        #expect(write(given, [1], 1) == 1)
        close(given)
    }
}
