package import Domain
package import Ground

/// What one device is told on a channel: what one that says nothing is told, but for some packages.
package struct DeviceView: Sendable {
    package let view: ChannelView
    /// Where it differs from what a device that says nothing is told; what has the same choices is told the same.
    package let choices: [Choice]
    /// Whether the device says what it has; then it is told whether it has to update.
    package let saysWhatItHas: Bool

    /// The decision on one package.
    package struct Choice: Hashable, Sendable {
        let position: Int
        let decision: PackageDecision

        /// When the device is to download the first of what it is told; hardly any other is told the same.
        package var downloadAfter: Timestamp? {
            [decision.current?.downloadAfter, decision.next?.downloadAfter].compactMap(\.self).min()
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
        var resolution = Resolution(view.snapshot, facts: facts, at: view.instant, now: now)
        var choices: [Choice] = []
        for question in view.questions {
            let choice = Choice(
                position: question.plain.position, decision: resolution.decision(for: question.package))
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
        if let choice = choices.first(where: { $0.position == position }) { entry.take(choice.decision) }
        return entry.current != nil || entry.next != nil ? entry : nil
    }

    /// What is told of a package; `nil` where nothing is.
    package func entry(of package: PackageID) -> ChannelView.Entry? {
        view.position(of: package).flatMap(entry(at:))
    }
}
