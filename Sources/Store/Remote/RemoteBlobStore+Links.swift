package import Domain

extension RemoteBlobStore {
    /// While the bucket fails, devices get cached blobs from the server.
    package var hasLinks: Bool { delivery == .redirect && client.isAvailable }

    package func link(to digest: SHA256Digest, _ heading: BlobLink.Heading) -> String? {
        guard hasLinks else { return nil }
        return client.link(
            to: key(of: digest),
            query: [
                (name: "response-cache-control", value: heading.cacheControl),
                (name: "response-content-disposition", value: heading.contentDisposition),
                (name: "response-content-type", value: heading.contentType),
            ], validFor: BlobLink.validity)
    }
}
