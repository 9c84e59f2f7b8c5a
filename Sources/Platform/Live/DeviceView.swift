package import Domain
package import Ground

/// The view of a channel for one device, stored as differences from the view without device facts.
package struct DeviceView: Sendable {
    package let view: ChannelView
    /// The decisions that differ from those without device facts; devices with equal choices get equal responses.
    package let choices: [Choice]
    /// Whether the device sends the versions that it has; then the response tells whether an update is mandatory.
    package let reportsVersions: Bool

    /// The decision for one package.
    package struct Choice: Hashable, Sendable {
        let position: Int
        let decision: PackageDecision

        /// The earliest download time of the decision, which hardly any two devices share.
        package var downloadAfter: Timestamp? {
            [decision.current?.downloadAfter, decision.next?.downloadAfter].compactMap(\.self).min()
        }
    }

    /// Resolves every package for a device.
    ///
    /// - Parameter now: The clock's time, for download times; the decisions are as of the view's instant.
    package init(_ view: ChannelView, facts: DeviceFacts, at now: Timestamp) {
        self.view = view
        reportsVersions = facts.holdings != nil
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

    /// The earliest download time; the response changes at that time.
    package var downloadAfter: Timestamp? { choices.compactMap(\.downloadAfter).min() }

    /// The choices by the index of their package among the view's entries.
    package var choicesByPosition: [Int: Choice] {
        Dictionary(uniqueKeysWithValues: choices.map { ($0.position, $0) })
    }

    /// Returns the entry at an index for this device; `nil` if it gets none.
    package func entry(at position: Int) -> ChannelView.Entry? {
        var entry = view.entries[position]
        if let choice = choices.first(where: { $0.position == position }) { entry.take(choice.decision) }
        return entry.current != nil || entry.next != nil ? entry : nil
    }

    /// Returns the entry of a package for this device; `nil` if it gets none.
    package func entry(of package: PackageID) -> ChannelView.Entry? {
        view.position(of: package).flatMap(entry(at:))
    }
}
