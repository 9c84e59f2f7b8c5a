import HTTP

/// What the loops of one server have in common.
struct Settings: Sendable {
    var limits: Limits
    var deadlines: Deadlines
    var report: @Sendable (Incident) -> Void
}
