package import Ground

/// What clients of seed 004 are told of the files that a glob matches, where it is not what follows from their paths.
package struct ResourceRule: Sendable, Hashable {
    package let files: PathGlob
    package var isCached: Bool?
    package var kind: Int64?
    package var mediaType: String?
    /// Of one file alone.
    package var matchURL: URLPattern?
    /// Of one file alone.
    package var resourceID: ResourceID?
    /// Counts where it is later than the release's own.
    package var activeTime: Timestamp?

    package init(
        files: PathGlob, isCached: Bool? = nil, kind: Int64? = nil, mediaType: String? = nil,
        matchURL: URLPattern? = nil, resourceID: ResourceID? = nil, activeTime: Timestamp? = nil
    ) {
        self.files = files
        self.isCached = isCached
        self.kind = kind
        self.mediaType = mediaType
        self.matchURL = matchURL
        self.resourceID = resourceID
        self.activeTime = activeTime
    }

    /// A media type without or with parameters; ASCII, as it stands in headers.
    static let maximumMediaTypeLength = 127
}
