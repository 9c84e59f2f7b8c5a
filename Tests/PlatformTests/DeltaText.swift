/// Texts whose deltas are smaller with the best level than with the fast one.
enum DeltaText {
    /// Returns the text of a seed.
    static func make(_ seed: UInt64) -> String {
        var state = seed
        var text = ""
        for _ in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += "var v\(state >> 56)=call(\(state >> 52), 'word\(state >> 58)');\n"
        }
        return text
    }
}
