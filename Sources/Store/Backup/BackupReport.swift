/// The blobs that a backup or a restore copied, and the faults of its source.
package struct BackupReport: Sendable, Equatable {
    /// The faults of the source, and notes for the operator.
    package internal(set) var examination = Examination()
    /// Blobs that the metadata refer to.
    package internal(set) var blobs = 0
    /// The size of these blobs in bytes.
    package internal(set) var bytes = 0
    /// Blobs that this run copied; the others were there.
    package internal(set) var copiedBlobs = 0
    package internal(set) var copiedBytes = 0
    /// Blobs that nothing refers to any more, which a backup removed.
    package internal(set) var removedBlobs = 0
    /// Whether the copy is complete and in its place.
    package internal(set) var isComplete = false
}
