package import Ground

extension Release {
    /// When a device is to download the version that asks at an instant; `nil` where it need not wait.
    package func downloadAfter(_ place: DownloadPlace, at instant: Timestamp) -> Timestamp? {
        // What comes round within the slack holds nobody back.
        guard let window = terms.downloads, window.round > DownloadWindow.slack, let end = spreadingEnd else {
            return nil
        }
        let slot = window.slot(of: place, salt: terms.salt, at: instant)
        // Nobody waits beyond the end, or all who do would come then.
        return slot < end ? slot : nil
    }

    /// Where a device comes; `nil` where it does not say who it is.
    func downloadPlace(of facts: DeviceFacts, in positions: PositionTable?) -> DownloadPlace? {
        guard let bucket = facts.bucket else { return nil }
        return DownloadPlace(
            position: positions?.position(of: bucket) ?? bucket.value, count: max(1, terms.rollout.final.value),
            share: facts.identity?.key.low ?? 0)
    }

    /// Whether devices are told when to download it.
    func isSpreading(at instant: Timestamp) -> Bool { spreadingEnd.map { instant < $0 } ?? false }

    /// From when on whoever asks downloads at once; `nil` where nobody ever has to wait.
    var spreadingEnd: Timestamp? {
        guard let window = terms.downloads, course == .running || course.isPaused else { return nil }
        // Those whom a step lets in come all at once, too.
        let last = moment(ofStep: terms.rollout.steps.count)?.adding(milliseconds: window.round)
        let end = window.end(after: activeTime)
        return last.map { max($0, end) } ?? end
    }
}

extension ReleaseCourse {
    fileprivate var isPaused: Bool {
        if case .paused = self { true } else { false }
    }
}
