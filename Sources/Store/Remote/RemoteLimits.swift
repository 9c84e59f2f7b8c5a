/// The limits of a store of blobs in a bucket.
enum RemoteLimits {
    /// The maximum bytes of an object; more than any zip without zip64, or any of its files, can have.
    static let largestObject = 8 << 30
    /// The number of digests that are known to be missing or damaged.
    static let rememberedAbsences = 4_096
    /// The time for which the bucket is not asked again for a missing or damaged object.
    static let absenceTime = Duration.seconds(10)
    /// The number of digests whose objects are known to be damaged, until they are repaired.
    static let rememberedDamages = 4_096
    /// The number of digests whose deletion may still be carried out.
    static let rememberedDeletions = 4_096
    /// The time for which a deletion without a response may still be carried out.
    ///
    /// Servers accept a signature for 15 minutes.
    static let deletionTime = Duration.seconds(15 * 60)
}
