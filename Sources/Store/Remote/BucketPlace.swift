package import Domain

/// The place of the blobs of a server that keeps them in a bucket.
package struct BucketPlace: Sendable {
    let client: S3Client
    let cachePath: String
    let cacheBytes: Int
    let delivery: BlobDelivery
    let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - cachePath: The folder of the cache.
    ///   - cacheBytes: The maximum bytes of the cached files.
    ///   - elapsed: A clock that never jumps.
    package init(
        client: S3Client, cachePath: String, cacheBytes: Int, delivery: BlobDelivery = .proxy,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.client = client
        self.cachePath = cachePath
        self.cacheBytes = cacheBytes
        self.delivery = delivery
        self.elapsed = elapsed
    }

    /// Opens the store of an installation, whose data directory then remembers the bucket.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - epoch: The identity of the installation.
    ///   - refersToBlobs: Whether the metadata refer to blobs, which the bucket has to contain then.
    ///   - removals: The store of the removals by all nodes; `nil` if this server is the only one.
    package func open(
        for directory: DataDirectory, epoch: String, refersToBlobs: Bool, removals: (any BlobRemovalStore)? = nil,
        log: any Log
    ) throws(PlatformError) -> RemoteBlobStore {
        let location = client.address.description
        try directory.requireNoBlobs(besides: location)
        let isKnown = try DataDirectory.blobLocation(in: directory.path) != nil
        let store = try RemoteBlobStore(
            client, epoch: epoch, prefix: isKnown ? .known : refersToBlobs ? .restored : .new, cache: cachePath,
            capacity: cacheBytes, delivery: delivery, elapsed: elapsed, removals: removals, log: log)
        // Recorded only once the bucket has accepted the installation: the option may have been wrong.
        try directory.setBlobLocation(location)
        return store
    }
}
