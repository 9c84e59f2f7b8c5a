package import Domain
package import Files

extension PlatformError {
    /// The one place where what fails on a file becomes an error of the platform.
    package init(_ error: SystemError) {
        if error.isStorageFull {
            self.init(.storageFull, "The disk is full: \(error). Make room and try again.")
        } else {
            self.init(.storageFailed, "A file cannot be read or written: \(error).")
        }
    }
}
