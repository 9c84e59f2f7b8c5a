import Files
import Glibc
import TestKit
import Testing

@Suite(.scratchDirectory)
struct FolderTests {
    private var root: String { ScratchDirectory.path }

    private func touch(_ path: String) throws {
        try FileDescriptor(path, O_WRONLY | O_CREAT, mode: 0o600).writeAll(Array("x".utf8))
    }

    @Test(arguments: ["new", "new/inner", "new/inner/"])
    func `a folder is made with those above it`(path: String) throws {
        #expect(try Folder.make("\(root)/\(path)", mode: 0o700))
        #expect(try Folder.entries("\(root)/\(path)") == [])
        #expect(try Folder.make("\(root)/\(path)", mode: 0o700) == false)
    }

    @Test func `a file does not count as an existing folder`() throws {
        try touch("\(root)/file")
        let error = #expect(throws: SystemError.self) { try Folder.make("\(root)/file", mode: 0o700) }
        #expect(error?.number == EEXIST)
        #expect(throws: SystemError.self) { try Folder.make("\(root)/file/inner", mode: 0o700) }
    }

    @Test func `names are listed as the bytes that they are`() throws {
        for name in ["a", ".b", "新闻"] { try touch("\(root)/\(name)") }
        #expect(try Set(Folder.entries(root)) == ["a", ".b", "新闻"])
        #expect(try Set(Folder.names(in: root)) == Set(["a", ".b", "新闻"].map { Array($0.utf8) }))
        let error = #expect(throws: SystemError.self) { try Folder.entries("\(root)/none") }
        #expect(error?.number == ENOENT)
    }

    @Test func `a folder is removed with its content, and a link without its target`() throws {
        try Folder.make("\(root)/gone/inner", mode: 0o700)
        try touch("\(root)/gone/inner/file")
        try Folder.make("\(root)/kept", mode: 0o700)
        try touch("\(root)/kept/file")
        #expect(symlink("\(root)/kept", "\(root)/gone/link") == 0)
        try Folder.remove("\(root)/gone")
        #expect(try Folder.entries(root) == ["kept"])
        #expect(try Folder.entries("\(root)/kept") == ["file"])
        // The path does not exist any more.
        try Folder.remove("\(root)/gone")
    }

    @Test func `two temporary folders are not the same`() throws {
        let first = try Folder.makeTemporary("\(root)/t-")
        let second = try Folder.makeTemporary("\(root)/t-")
        #expect(first != second && first.hasPrefix("\(root)/t-"))
        #expect(try Folder.entries(first) == [])
        #expect(throws: SystemError.self) { try Folder.makeTemporary("\(root)/none/t-") }
    }
}
