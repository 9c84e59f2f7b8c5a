package import Ground

/// A rule that overrides the resource properties of the files that a glob matches.
package struct ResourceRule: Sendable, Hashable {
    package let files: PathGlob
    package var isCached: Bool?
    package var kind: Int64?
    package var mediaType: String?
    /// The pattern of URLs, for a rule that matches one file.
    package var matchURL: URLPattern?
    /// The resource id, for a rule that matches one file.
    package var resourceID: ResourceID?
    /// The active time, which applies if it is later than the release's own.
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

    /// The limit on a media type with its parameters; ASCII, as in header fields.
    static let maximumMediaTypeLength = 127
}
