import Foundation
import Store
import TestKit

/// Databases that tests copy instead of creating them.
///
/// The migrations and the check of an RSA key would take most of the time of a short test.
enum TestDatabase {
    /// An empty database with the newest schema.
    private static let empty = Result {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try SQLStore(opening: .file(folder + fileName))
        return try content(in: folder)
    }

    /// A database with the app `default`, as ``TestService`` creates it at the time at which a ``ManualClock`` starts.
    private static let withApp = Task.detached {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await TestService(in: folder, store: HookedStore(openEmpty(in: folder)))
        return try content(in: folder)
    }

    private static let fileName = "/larder.sqlite"

    /// Opens the folder's database, or a new one without any app.
    static func openEmpty(in folder: String) throws -> SQLStore { try open(empty.get(), in: folder) }

    /// Opens the folder's database, or a new one with the app `default`, whose keys all tests share.
    static func openWithApp(in folder: String) async throws -> SQLStore { try open(await withApp.value, in: folder) }

    private static func open(_ content: Data, in folder: String) throws -> SQLStore {
        let path = folder + fileName
        guard !FileManager.default.fileExists(atPath: path) else { return try SQLStore(opening: .file(path)) }
        try content.write(to: URL(filePath: path))
        let database = try Database(.file(path))
        try database.execute("UPDATE meta SET epoch = lower(hex(randomblob(8)))")
        return try SQLStore(database)
    }

    /// Returns the database of a folder as one file; the database may be open.
    private static func content(in folder: String) throws -> Data {
        let copy = "\(folder)/copy.sqlite"
        try Database(.file(folder + fileName)).execute("VACUUM INTO \(copy)")
        return try Data(contentsOf: URL(filePath: copy))
    }

    private static func newFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }
}
