/// The moment at which a device begins to use a downloaded version.
package enum UpdateMode: String, Sendable, CaseIterable {
    /// The next time the package is opened.
    case silent
    /// After the user has agreed.
    case prompt
    /// Immediately.
    case immediate
}
