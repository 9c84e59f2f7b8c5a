package import Domain

extension PublicURL {
    /// Returns the URL of a resource's bytes; it ends with the file name, which always stands for one content
    /// (clients.md P7).
    package func url(of item: ResourceList.Item) -> String {
        "\(text)/blobs/\(item.resource.digest)/\(item.resource.id.fileName(item.number))"
    }
}
