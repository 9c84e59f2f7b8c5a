/// What a delta patch may hold at most, so that a device can apply it; larger updates are zips.
package enum DeltaLimits {
    /// Bytes of a patch.
    package static let patchBytes = 64 << 20
    /// Bytes of what one frame holds, and of the prefix it is made with.
    package static let frameBytes = 64 << 20
    /// Bytes of all files of the base, and of the result.
    package static let treeBytes = frameBytes
    /// Files of the result, as many as a zip has.
    static let fileCount = 65_535
    /// Bytes of the base that are read to make the result, one file as often as it is used.
    static let sourceBytes = 1 << 30
    /// Bytes of the manifest's text.
    static let manifestBytes = 16 << 20
}
