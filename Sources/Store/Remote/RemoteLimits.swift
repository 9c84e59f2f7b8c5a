/// The limits of a store of blobs in a bucket.
enum RemoteLimits {
    /// The maximum bytes of an object; more than any zip without zip64, or any of its files, can have.
    static let largestObject = 8 << 30
    /// The number of digests that are known to be missing or damaged.
    static let rememberedAbsences = 4_096
    /// The time for which the bucket is not asked again for a missing or damaged object.
    static let absenceTime = Duration.seconds(10)
}
