import Domain
import Ground
import Synchronization

/// Part files whose calls fail at a test's request.
final class HookedParts: PartStore {
    private let parts: any PartStore
    private let state = Mutex(State())

    private struct State {
        var room: Int?
        var savesFail = false
    }

    init(_ parts: any PartStore) { self.parts = parts }

    /// Sets the number of bytes that still fit; `nil` for no limit.
    func setRoom(_ room: Int?) { state.withLock { $0.room = room } }

    func setSaves(fail: Bool) { state.withLock { $0.savesFail = fail } }

    func all() throws(PlatformError) -> [StoredPart] { try parts.all() }
    func make(_ upload: PartialUpload, at now: Timestamp) throws(PlatformError) {
        try take(1)
        try parts.make(upload, at: now)
    }
    func path(of id: UploadID) -> String { parts.path(of: id) }
    func remove(_ id: UploadID) throws(PlatformError) { try parts.remove(id) }

    func open(_ id: UploadID, at offset: Int) throws(PlatformError) -> any PartFile {
        HookedFile(try parts.open(id, at: offset), self)
    }

    private func take(_ count: Int) throws(PlatformError) {
        let fits = state.withLock { state in
            guard let room = state.room else { return true }
            guard count <= room else { return false }
            state.room = room - count
            return true
        }
        guard fits else { throw PlatformError(.storageFull, "full") }
    }

    private final class HookedFile: PartFile {
        private let file: any PartFile
        private let parts: HookedParts

        init(_ file: any PartFile, _ parts: HookedParts) {
            self.file = file
            self.parts = parts
        }

        var size: Int { file.size }

        func append(_ bytes: [UInt8]) throws(PlatformError) {
            try parts.take(bytes.count)
            try file.append(bytes)
        }

        func truncate(to size: Int) throws(PlatformError) { try file.truncate(to: size) }

        func save(at now: Timestamp) throws(PlatformError) {
            guard !parts.state.withLock({ $0.savesFail }) else { throw PlatformError(.storageFailed, "no sync") }
            try file.save(at: now)
        }
    }
}
