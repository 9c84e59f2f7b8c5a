/// The fields of Larder's own: the server sets them, its clients read them (semantics.md §4).
extension FieldName {
    /// The app and the channel that a signed answer is about.
    package static let larderBase: FieldName = "Larder-Base"
    /// The version of an app's config; grows with every change.
    package static let larderConfigVersion: FieldName = "Larder-Config-Version"
    /// Where to go on with `/push`.
    package static let larderCursor: FieldName = "Larder-Cursor"
    /// Seconds until a client that does not wait on `/push` should ask again.
    package static let larderPollAfter: FieldName = "Larder-Poll-After"
}
