/// The rules for URLs at which devices get blobs from another machine than the server.
package enum BlobLink {
    /// The time for which a URL is valid: long enough for a download that a device pauses and resumes.
    package static let validity = Duration.seconds(6 * 3600)
    /// The time for which a URL is named to further devices, and for which a device may keep a redirect to it.
    ///
    /// A request that uses both to their ends begins with four hours left.
    package static let reuseTime = Duration.seconds(3600)

    /// The header fields of the response at a URL.
    package struct Heading: Sendable, Equatable {
        package let contentType: String
        package let contentDisposition: String
        package let cacheControl: String

        package init(contentType: String, contentDisposition: String, cacheControl: String) {
            self.contentType = contentType
            self.contentDisposition = contentDisposition
            self.cacheControl = cacheControl
        }
    }
}
