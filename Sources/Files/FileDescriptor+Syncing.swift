import CLinux
import Glibc

extension FileDescriptor {
    /// Starts writing the file to the disk without waiting for it, so that a later sync has less to write.
    package func beginWriting() {
        // Only a hint: if it fails, the sync writes everything.
        _ = clinux_begin_writing(number)
    }

    /// Waits until the file's bytes and size are on the disk.
    package func syncData() throws(SystemError) {
        try SystemError.check("syncing", path) { fdatasync(number) }
    }

    /// Waits until the file, or the entries of the directory, are on the disk.
    package func sync() throws(SystemError) {
        try SystemError.check("syncing", path) { fsync(number) }
    }

    /// Waits until the whole file system is on the disk; throws if any write to it failed since the file was opened.
    package func syncFileSystem() throws(SystemError) {
        try SystemError.check("syncing the file system of", path) { clinux_syncfs(number) }
    }
}
