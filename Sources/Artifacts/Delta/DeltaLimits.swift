/// The limits of delta patches, which let a device apply them; larger updates are zips.
package enum DeltaLimits {
    /// The maximum size of a patch in bytes.
    package static let patchBytes = 64 << 20
    /// The maximum size in bytes of a frame's content, and of its prefix.
    package static let frameBytes = 64 << 20
    /// The maximum total size in bytes of the base's files, and of the result's.
    package static let treeBytes = frameBytes
    /// The maximum number of files in the result: that of a zip.
    static let fileCount = 65_535
    /// The maximum number of bytes of the base that are read to make the result; a file counts as often as it is used.
    static let sourceBytes = 1 << 30
    /// The maximum size of the manifest's text in bytes.
    static let manifestBytes = 16 << 20
}
