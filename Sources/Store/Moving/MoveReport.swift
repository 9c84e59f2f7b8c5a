/// The extent of a move, and the faults that prevent its completion.
package struct MoveReport: Sendable, Equatable {
    /// The faults of the source or of the copy, and notes for the operator.
    package internal(set) var examination = Examination()
    /// The number of blobs that the metadata refer to.
    package internal(set) var blobs = 0
    /// The size of these blobs in bytes.
    package internal(set) var bytes = 0
    /// The number of blobs that this run copied; the target had the others.
    package internal(set) var copiedBlobs = 0
    package internal(set) var copiedBytes = 0
    package internal(set) var tables = 0
    /// The number of rows that were copied and compared.
    package internal(set) var rows = 0
    /// Whether the target has everything, and servers use it from now on.
    package internal(set) var isComplete = false
}
