import Domain
import FoundationEssentials
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchDirectory)
struct DiskPartStoreTests {
    private var root: String { ScratchDirectory.path }
    private let id = UploadID(random: Array(repeating: 0xab, count: UploadID.byteCount))

    private func upload(
        _ length: Int = 10, owner: Principal? = .token(7), metadata: String? = "filename YQ=="
    ) -> PartialUpload {
        PartialUpload(id: id, owner: owner, length: length, metadata: metadata)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "\(root)/uploads").sorted() }
    }

    private func contents(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: "\(root)/uploads/\(name)"))).map { Array($0) }
    }

    private func put(_ text: String, at name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(root)/uploads/\(name)"))
    }

    @Test(arguments: [(.token(7), "filename YQ=="), (.user(UserID(7)), nil), (nil, nil)] as [(Principal?, String?)])
    func `the next process finds the description of an upload, its bytes, and their time`(
        owner: Principal?, metadata: String?
    ) throws {
        let store = try DiskPartStore(directory: root)
        try store.make(upload(owner: owner, metadata: metadata), at: Fixture.start)
        let made = StoredPart(upload: upload(owner: owner, metadata: metadata), size: 0, savedAt: Fixture.start)
        #expect(try DiskPartStore(directory: root).all() == [made])

        let file = try store.open(id, at: 0)
        try file.append([1, 2, 3])
        let later = Fixture.start.adding(milliseconds: 90_001)
        try file.save(at: later)
        let saved = StoredPart(upload: made.upload, size: 3, savedAt: later)
        #expect(try DiskPartStore(directory: root).all() == [saved])
        #expect(contents(id.text) == [1, 2, 3])
        #expect(store.path(of: id) == "\(root)/uploads/\(id)")
    }

    @Test func `bytes after the offset to continue from are cut off`() throws {
        let store = try DiskPartStore(directory: root)
        try store.make(upload(), at: Fixture.start)
        let first = try store.open(id, at: 0)
        try first.append([1, 2, 3, 4])
        let second = try store.open(id, at: 2)
        #expect(second.size == 2 && contents(id.text) == [1, 2])
        try second.append([9])
        try second.truncate(to: 1)
        try second.append([8])
        #expect(second.size == 2 && contents(id.text) == [1, 8])
    }

    @Test func `an upload whose file is too short is not continued`() throws {
        let store = try DiskPartStore(directory: root)
        try store.make(upload(), at: Fixture.start)
        #expect(throws: PlatformError.self) { try store.open(id, at: 1) }
    }

    @Test func `an upload that is removed leaves nothing, and may be removed again`() throws {
        let store = try DiskPartStore(directory: root)
        try store.make(upload(), at: Fixture.start)
        #expect(try names.count == 2)
        try store.remove(id)
        try store.remove(id)
        #expect(try names.isEmpty)
        #expect(throws: PlatformError.self) { try store.open(id, at: 0) }
    }

    @Test func `an id can be used once`() throws {
        let store = try DiskPartStore(directory: root)
        try store.make(upload(), at: Fixture.start)
        #expect(throws: PlatformError.self) { try store.make(upload(), at: Fixture.start) }
    }

    @Test(arguments: [
        ["": "abc"], [".json": #"{"length": 3}"#], [".json.new": "{"], ["": "abc", ".json": ""],
        ["": "abc", ".json": #"{"length": -1}"#], ["": "abcd", ".json": #"{"length": 3}"#],
    ])
    func `half made or half removed uploads are removed at the next start`(files: [String: String]) throws {
        _ = try DiskPartStore(directory: root)
        for (suffix, text) in files { try put(text, at: id.text + suffix) }
        #expect(try DiskPartStore(directory: root).all() == [])
        #expect(try names.isEmpty)
    }

    @Test func `foreign files in the folder are kept`() throws {
        _ = try DiskPartStore(directory: root)
        let others = ["lost+found", "x", "x.json", "notes.new", id.text + ".txt"]
        for name in others { try put("", at: name) }
        #expect(try DiskPartStore(directory: root).all() == [])
        #expect(try Set(names) == Set(others))
    }

    @Test func `others may not read what was uploaded`() throws {
        let store = try DiskPartStore(directory: root)
        try store.make(upload(), at: Fixture.start)
        for name in try names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/uploads/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}
