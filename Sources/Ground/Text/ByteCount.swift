/// The formatting of byte counts for people.
package enum ByteCount {
    /// Returns text such as `512 B`, `1.5 KB` or `16 MB`: powers of 1,024, with one decimal below ten.
    package static func text(_ bytes: Int) -> String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = "B"
        for next in ["KB", "MB", "GB", "TB"] where tenths(value) >= 10_240 {
            value /= 1024
            unit = next
        }
        let tenths = tenths(value)
        return tenths >= 100 || tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    private static func tenths(_ value: Double) -> Int { Int((value * 10).rounded()) }
}
