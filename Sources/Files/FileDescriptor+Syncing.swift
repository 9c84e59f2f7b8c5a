import CLinux
import Glibc

extension FileDescriptor {
    /// Begins to write the file to the disk without waiting for it, so that a later sync finds less to do.
    package func beginWriting() {
        // A hint: where it fails, the sync has the whole of the work.
        _ = clinux_begin_writing(number)
    }

    /// Returns when the file's bytes and size are on the disk.
    package func syncData() throws(SystemError) {
        try SystemError.check("syncing", path) { fdatasync(number) }
    }

    /// Returns when the file, or the entries of the directory, are on the disk.
    package func sync() throws(SystemError) {
        try SystemError.check("syncing", path) { fsync(number) }
    }

    /// Returns when everything on the file system is on the disk; throws where any write there failed since this was
    /// opened.
    package func syncFileSystem() throws(SystemError) {
        try SystemError.check("syncing the file system of", path) { clinux_syncfs(number) }
    }
}
