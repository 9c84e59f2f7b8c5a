extension Release {
    /// When a device is to download the version that asks at an instant; `nil` where it need not wait.
    ///
    /// - Parameter place: Of the device among 10,000: its position in the release, where that has an order of buckets, else its
    ///   bucket.
    package func downloadAfter(place: Int, at instant: Timestamp) -> Timestamp? {
        guard let window = terms.downloads, instant < spreadingEnd else { return nil }
        return window.slot(of: place, salt: terms.salt, at: instant)
    }

    /// When whoever asks downloads at once; past, where nobody has to wait.
    private var spreadingEnd: Timestamp {
        guard let window = terms.downloads else { return activeTime }
        switch course {
        case .running, .paused: break
        case .halted, .completed, .rolledBack: return Timestamp(milliseconds: .min)
        }
        // Those whom a step lets in come all at once, too.
        let last = terms.rollout.steps.indices.last.flatMap { moment(ofStep: $0 + 1) }
        return [window.end(after: activeTime), last?.adding(milliseconds: window.round)].compactMap { $0 }.max()
            ?? activeTime
    }
}
