import Foundation

/// The files of a folder by relative path.
struct FolderContents: Equatable {
    let path: String
    let files: Set<String>

    /// - Parameter isSkipped: Whether to leave out a relative path.
    init(_ path: String, skipping isSkipped: (String) -> Bool = { _ in false }) throws {
        self.path = path
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        files = Set(
            names.filter { name in
                var isFolder: ObjCBool = false
                let isThere = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
                return isThere && !isFolder.boolValue && !isSkipped(name)
            })
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")) }

    /// Returns the differences of another folder as text.
    func differences(in other: FolderContents) throws -> [String] {
        files.subtracting(other.files).map { "lacks \($0)" } + other.files.subtracting(files).map { "has also \($0)" }
            + (try files.intersection(other.files).filter { try read($0) != other.read($0) }.map { "differs in \($0)" })
    }

    /// Returns the files of this folder that another one lacks or has with other contents.
    func changes(since other: FolderContents) throws -> Set<String> {
        try files.filter { try !other.files.contains($0) || read($0) != other.read($0) }
    }
}
