package import Domain
package import Files

extension PlatformError {
    /// Converts the error of a system call on a file, as the only code that does.
    package init(_ error: SystemError) {
        if error.isStorageFull {
            self.init(.storageFull, "The disk is full: \(error). Free some space and try again.")
        } else {
            self.init(.storageFailed, "A file cannot be read or written: \(error).")
        }
    }
}
