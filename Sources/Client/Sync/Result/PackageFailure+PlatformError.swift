import Domain

extension PackageFailure {
    /// Converts the error of reading or writing an archive or a tree.
    init(_ error: PlatformError) {
        let entry = error.entry.map { " (\($0))" } ?? ""
        self.init(error.code == .badPackage ? .archiveInvalid : .storageFailed, error.message + entry)
    }
}
