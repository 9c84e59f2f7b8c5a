/// When a device that has a version takes it into use.
package enum UpdateMode: String, Sendable, CaseIterable {
    /// At the next opening.
    case silent
    /// After asking the user.
    case prompt
    /// At once.
    case immediate
}
