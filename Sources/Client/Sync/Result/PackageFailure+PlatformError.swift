import Domain

extension PackageFailure {
    /// What an archive or a tree was refused for, or why it could not be read or written.
    init(_ error: PlatformError) {
        let entry = error.entry.map { " (\($0))" } ?? ""
        self.init(error.code == .badPackage ? .archiveInvalid : .storageFailed, error.message + entry)
    }
}
