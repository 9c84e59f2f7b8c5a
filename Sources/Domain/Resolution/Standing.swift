/// What the releases of one package come to for a device (semantics.md §2).
package struct Standing: Sendable, Equatable {
    /// What the device gets now.
    package let current: Offer?
    /// What it will get next, from its activeTime on; it may be downloaded ahead.
    package let next: Offer?

    package struct Offer: Sendable, Equatable {
        package let release: Release
        /// The highest rank up to the offer's own of a mandatory release that matches the device.
        package let mandatoryAfter: Rank?
        /// Whether the device has to update before it opens the package; `nil` where it does not say what it has.
        package let isMandatory: Bool?
        /// Where the device comes among those that download it; `nil` where it does not say who it is, or need not wait.
        package let downloadPlace: DownloadPlace?
    }

    package static let nothing = Standing(current: nil, next: nil)

    init(current: Offer?, next: Offer?) {
        self.current = current
        self.next = next
    }
}
