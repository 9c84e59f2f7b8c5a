import CLinux

/// How the process keeps memory that it has freed.
package enum ProcessMemory {
    /// Has large blocks go back to the kernel as soon as they are freed, from now on.
    ///
    /// By itself the allocator learns from the first large block that is freed to keep such blocks, for each thread: a server
    /// that had published some packages held 50 MB more than it used, and ever more.
    package static func returnLargeBlocks() {
        clinux_return_blocks_from(largeBlock)
    }

    /// Has what is freed now go back to the kernel, small blocks too.
    ///
    /// For after work that held thousands of files in memory; takes milliseconds.
    package static func returnFreed() { clinux_return_freed() }

    /// Bytes: more than any buffer of a connection, less than a file that is worth compressing.
    private static let largeBlock: Int32 = 256 << 10
}
