import Ground

/// The distance of a time from now in words: `3 h ago`, `in 2 d`.
enum RelativeTime {
    private static let units: [(seconds: Int64, name: String)] = [
        (365 * 86_400, "y"), (30 * 86_400, "mo"), (86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"),
    ]

    static func text(_ time: Timestamp, now: Timestamp) -> String {
        let seconds = (time.milliseconds - now.milliseconds) / 1_000
        guard let unit = units.first(where: { abs(seconds) >= $0.seconds }) else { return "now" }
        let distance = "\(abs(seconds) / unit.seconds) \(unit.name)"
        return seconds < 0 ? "\(distance) ago" : "in \(distance)"
    }
}
