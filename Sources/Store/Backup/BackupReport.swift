/// The blobs that a backup or a restore copied, and the faults of its source.
package struct BackupReport: Sendable, Equatable {
    /// The faults of the source, and notes for the operator.
    package internal(set) var examination = Examination()
    /// The number of blobs that the metadata refer to.
    package internal(set) var blobs = 0
    /// The size of these blobs in bytes.
    package internal(set) var bytes = 0
    /// The number of blobs that this run copied; the others existed.
    package internal(set) var copiedBlobs = 0
    package internal(set) var copiedBytes = 0
    /// The number of unreferenced blobs that a backup removed.
    package internal(set) var removedBlobs = 0
    /// Whether the copy is complete and in use.
    package internal(set) var isComplete = false
}
