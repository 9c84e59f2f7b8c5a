package import Domain
import Execution

/// A service that checks every second whether the metadata store can be reached.
package struct StoreWatch: Sendable {
    /// The time between two checks.
    package static let interval: Duration = .seconds(1)
    /// The time after which a check without a result counts as a failure.
    package static let patience: Duration = .seconds(3)

    private let store: any AppStateStore
    private let contact: StoreContact
    private let interval: Duration
    private let patience: Duration

    package init(
        _ store: any AppStateStore, contact: StoreContact, interval: Duration = interval,
        patience: Duration = patience
    ) {
        self.store = store
        self.contact = contact
        self.interval = interval
        self.patience = patience
    }

    /// Checks until cancelled, and calls `report` with the error when the store is lost, and with `nil` when it is back.
    package func run(report: @escaping @Sendable (PlatformError?) -> Void) async {
        contact.confirm()
        await withTaskGroup { group in
            group.addTask {
                // A check may take as long as a statement of the database.
                while !Task.isCancelled {
                    await AsyncFlag().wait(upTo: interval)
                    if contact.unconfirmed > patience { contact.lose() }
                }
            }
            var isLost = false
            while !Task.isCancelled {
                do throws(PlatformError) {
                    try await store.check()
                    contact.confirm()
                    if isLost { report(nil) }
                    isLost = false
                } catch {
                    contact.lose()
                    if !isLost { report(error) }
                    isLost = true
                }
                await AsyncFlag().wait(upTo: interval)
            }
            group.cancelAll()
        }
    }
}
