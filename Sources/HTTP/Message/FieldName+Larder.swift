/// Larder's own fields, which the server sets and its clients read (semantics.md §4).
extension FieldName {
    /// The app and channel that a signed response belongs to.
    package static let larderBase: FieldName = "Larder-Base"
    /// The version of an app's config, which grows with every change.
    package static let larderConfigVersion: FieldName = "Larder-Config-Version"
    /// The cursor for the next request to `/push`.
    package static let larderCursor: FieldName = "Larder-Cursor"
    /// The number of seconds since the state was last known to be current, if it is not now.
    package static let larderSnapshotAge: FieldName = "Larder-Snapshot-Age"
    /// The number of seconds after which a client without `/push` should poll again.
    package static let larderPollAfter: FieldName = "Larder-Poll-After"
}
