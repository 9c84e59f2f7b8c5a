import Files
import Glibc
import TestKit
import Testing

@Suite(.scratchDirectory)
struct RegularFileTests {
    private var path: String { "\(ScratchDirectory.path)/file" }

    @Test func `a file is read by position`() throws {
        try FileDescriptor(path, O_WRONLY | O_CREAT, mode: 0o600).writeAll(Array("0123456789".utf8))
        let file = try RegularFile(path)
        #expect(file.size == 10)
        #expect(try file.read(at: 2, upTo: 3) == Array("234".utf8))
        #expect(try file.read(at: 8, upTo: 3) == Array("89".utf8))
        #expect(try file.read(at: 10, upTo: 3) == [])
    }

    @Test func `a file that has become shorter is an error`() throws {
        let writer = try FileDescriptor(path, O_WRONLY | O_CREAT, mode: 0o600)
        try writer.writeAll(Array("0123456789".utf8))
        let file = try RegularFile(path)
        try writer.truncate(to: 4)
        let error = #expect(throws: SystemError.self) { try file.read(at: 2, upTo: 3) }
        #expect(error?.number == EIO)
        #expect(try file.read(at: 2, upTo: 2) == Array("23".utf8))
    }

    @Test func `a write continues where a file was truncated`() throws {
        let writer = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        try writer.writeAll(Array("0123456789".utf8))
        try writer.truncate(to: 4)
        try writer.writeAll(Array("ab".utf8))
        #expect(try writer.read(upTo: 20) == Array("0123ab".utf8))
        try writer.replaceContents(Array("z".utf8))
        #expect(try writer.read(upTo: 20) == Array("z".utf8))
    }

    @Test func `a folder and a pipe without a writer are refused as regular files`() throws {
        let folder = #expect(throws: SystemError.self) { _ = try RegularFile(ScratchDirectory.path) }
        #expect(folder?.number == EISDIR)
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = #expect(throws: SystemError.self) { _ = try RegularFile(path) }
        #expect(pipe?.number == EINVAL)
    }
}
