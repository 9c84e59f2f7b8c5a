/// A range of bytes in an open file; holding the region keeps the descriptor open.
package struct FileRegion: Sendable {
    /// The descriptor, valid as long as ``owner`` lives; read by position only.
    package let descriptor: Int32
    package let owner: any AnyObject & Sendable
    package var offset: Int
    package var count: Int

    package init(descriptor: Int32, owner: any AnyObject & Sendable, offset: Int, count: Int) {
        self.descriptor = descriptor
        self.owner = owner
        self.offset = offset
        self.count = count
    }
}
