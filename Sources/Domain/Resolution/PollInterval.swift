package import Ground

/// The time after which a client that does not wait for events asks again (semantics.md §4).
package struct PollInterval: Sendable, Equatable {
    package let seconds: Int64
    /// The last instant at which a response may state it; `nil` for no limit.
    package let validThrough: Timestamp?

    /// The intervals, longest first: the first one without a planned change, the others as it comes nearer.
    package static let steps: [Int64] = [600, 300, 60]
    /// The seconds by which a client may be late for a planned change.
    package static let lateness: Int64 = 60

    /// Decides the interval before the next planned change; `nil` if none is planned.
    ///
    /// - Parameter maxAge: The seconds for which a shared cache may repeat the response, by which a client may read it
    ///   later.
    package init(before boundary: Timestamp?, at now: Timestamp, cachedFor maxAge: Int64 = 0) {
        guard let boundary else {
            seconds = Self.steps[0]
            validThrough = nil
            return
        }
        let latest = boundary.adding(milliseconds: (Self.lateness - maxAge) * 1000)
        let step = Self.steps.first { now.adding(milliseconds: $0 * 1000) <= latest }
        seconds = step ?? Self.lateness
        validThrough = step.map { latest.adding(milliseconds: -$0 * 1000) }
    }
}
