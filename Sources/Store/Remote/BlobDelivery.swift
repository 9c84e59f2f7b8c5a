/// The way in which devices get the blobs of a bucket (decision 0066).
package enum BlobDelivery: String, Sendable, CaseIterable {
    /// The server fetches blobs into its cache and sends them.
    case proxy
    /// The server sends the URL of the object, signed for a time.
    case redirect
}
