package import Domain
package import Ground

/// What one device is told on a channel: what one that says nothing is told, but for some packages.
package struct DeviceView: Sendable {
    package let view: ChannelView
    /// Where it differs from what a device that says nothing is told; what has the same choices is told the same.
    package let choices: [Choice]
    /// Whether the device says what it has; then it is told whether it has to update.
    package let saysWhatItHas: Bool

    /// What was decided of one package.
    package struct Choice: Hashable, Sendable {
        fileprivate let position: Int
        fileprivate let current: Told?
        fileprivate let next: Told?

        fileprivate init(position: Int, current: Told?, next: Told?) {
            self.position = position
            self.current = current
            self.next = next
        }

        /// What is told to a device that says nothing.
        init(_ entry: ChannelView.Entry, at position: Int) {
            self.init(position: position, current: entry.current.map(Told.init), next: entry.next.map(Told.init))
        }

        /// When the device is to download the first of what it is told; hardly any other is told the same.
        package var downloadAfter: Timestamp? {
            [current?.downloadAfter, next?.downloadAfter].compactMap(\.self).min()
        }
    }

    fileprivate struct Told: Hashable, Sendable {
        let release: ReleaseID
        let mandatoryAfter: Rank?
        let isMandatory: Bool?
        let downloadAfter: Timestamp?

        init(_ offer: Standing.Offer, at now: Timestamp) {
            release = offer.releaseID
            mandatoryAfter = offer.mandatoryAfter
            isMandatory = offer.isMandatory
            guard let place = offer.downloadPlace else {
                downloadAfter = nil
                return
            }
            // Who has to update waits for nothing.
            let waits = offer.isMandatory != true || !offer.release.isActive(at: now)
            downloadAfter = waits ? offer.release.downloadAfter(place, at: now) : nil
        }
    }

    /// Decides what a device gets of every package.
    ///
    /// - Parameter now: By the clock; what is decided is as of the view's instant, but a device's turn to download passes.
    package init(_ view: ChannelView, facts: DeviceFacts, at now: Timestamp) {
        self.view = view
        saysWhatItHas = facts.holdings != nil
        guard !facts.isEmpty, !view.questions.isEmpty else {
            choices = []
            return
        }
        var resolution = Resolution(view.snapshot, facts: facts, at: view.instant)
        let now = max(now, view.instant)
        var choices: [Choice] = []
        for question in view.questions {
            let standing = resolution.standing(of: question.package)
            let choice = Choice(
                position: question.plain.position, current: standing.current.map { Told($0, at: now) },
                next: standing.next.map { Told($0, at: now) })
            if choice != question.plain { choices.append(choice) }
        }
        self.choices = choices
    }

    /// When it is the device's turn to download something first; another answer is due then.
    package var downloadAfter: Timestamp? { choices.compactMap(\.downloadAfter).min() }

    /// The choices by the place of their package among the view's entries.
    package var choicesByPosition: [Int: Choice] {
        Dictionary(uniqueKeysWithValues: choices.map { ($0.position, $0) })
    }

    /// What is told of the package at a place among the view's entries; `nil` where nothing is.
    package func entry(at position: Int) -> ChannelView.Entry? {
        var entry = view.entries[position]
        if let choice = choices.first(where: { $0.position == position }) { entry.tell(choice) }
        return entry.current != nil || entry.next != nil ? entry : nil
    }

    /// What is told of a package; `nil` where nothing is.
    package func entry(of package: PackageID) -> ChannelView.Entry? {
        view.position(of: package).flatMap(entry(at:))
    }
}

extension DeviceView.Told {
    fileprivate init(_ offer: ChannelView.Offer) {
        release = offer.release.id
        mandatoryAfter = offer.mandatoryAfter
        isMandatory = offer.isMandatory
        downloadAfter = offer.downloadAfter
    }
}

extension ChannelView.Entry {
    fileprivate mutating func tell(_ choice: DeviceView.Choice) {
        current = choice.current.flatMap(told)
        next = choice.next.flatMap(told)
    }

    private func told(_ told: DeviceView.Told) -> ChannelView.Offer? {
        var offer = offers[told.release]
        offer?.mandatoryAfter = told.mandatoryAfter
        offer?.isMandatory = told.isMandatory
        offer?.downloadAfter = told.downloadAfter
        return offer
    }
}
