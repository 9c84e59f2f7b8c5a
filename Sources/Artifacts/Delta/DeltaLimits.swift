/// What a delta patch may hold at most, so that a device can apply it; larger updates are zips.
package enum DeltaLimits {
    /// Bytes of a patch.
    package static let patchBytes = 64 << 20
    /// Bytes of what one frame holds, and of the prefix it is made with.
    package static let frameBytes = 64 << 20
    /// Bytes of the manifest's text.
    static let manifestBytes = 16 << 20
}
