import CLinux

/// The process's policy on memory that it has freed.
package enum ProcessMemory {
    /// Makes the allocator return large blocks to the kernel as soon as they are freed, from now on.
    ///
    /// By default the allocator keeps such blocks for each thread after the first one is freed: a server that had
    /// published some packages held 50 MB more than it used, and the amount grew.
    package static func returnLargeBlocks() {
        clinux_return_blocks_from(largeBlock)
    }

    /// Returns all memory to the kernel that is free now, small blocks included.
    ///
    /// For use after work that held thousands of files in memory; takes milliseconds.
    package static func returnFreed() { clinux_return_freed() }

    /// The size in bytes from which a block is large: more than any buffer of a connection, less than a file that is
    /// worth compressing.
    private static let largeBlock: Int32 = 256 << 10
}
