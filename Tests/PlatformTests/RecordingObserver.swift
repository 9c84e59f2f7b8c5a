import Domain
import Platform
import Synchronization

/// Keeps the events that it was told of.
final class RecordingObserver: ChangeObserver {
    private let told = Mutex<[Event]>([])

    var events: [Event] { told.withLock { $0 } }

    func eventsAppended(_ events: [Event], to app: LiveApp) {
        told.withLock { $0 += events }
    }
}

/// The code of the error that `body` throws; `nil` where it throws none.
func code(_ body: () async throws -> Void) async throws -> PlatformError.Code? {
    do {
        try await body()
        return nil
    } catch let error as PlatformError {
        return error.code
    }
}

/// A failure of the store, as its adapter reports one.
let storeFailure = PlatformError(.storageFailed, "The store failed.", cause: "a test")
