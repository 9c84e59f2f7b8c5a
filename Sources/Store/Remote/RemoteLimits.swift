/// The limits of a store of blobs in a bucket.
enum RemoteLimits {
    /// The maximum bytes of an object; more than any zip without zip64, or any of its files, can have.
    static let largestObject = 8 << 30
    /// The maximum bytes of an uncached blob that is uploaded without asking whether the bucket has it.
    static let maximumUploadWithoutHead = 1 << 20
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
    /// A deletion is dated by a clock that may be 15 minutes ahead of the store's, which accepts the signature for 15
    /// minutes after that date. The rest is a reserve.
    static let deletionTime = Duration.seconds(35 * 60)
    /// The milliseconds for which a permit to remove blobs is valid: no deletion is signed later.
    static let removalMilliseconds: Int64 = 5 * 60_000
    /// The milliseconds after its begin after which a removal cannot happen any more.
    ///
    /// A deletion is signed while the permit is valid, by a clock that may be 15 minutes ahead, and the store accepts
    /// the signature for 15 minutes. The rest is a reserve.
    static let uncertainMilliseconds: Int64 = 40 * 60_000
    /// The milliseconds for which ended removals are remembered, and the longest time of a publishing.
    static let rememberedRemovalMilliseconds: Int64 = 24 * 3_600_000
}
