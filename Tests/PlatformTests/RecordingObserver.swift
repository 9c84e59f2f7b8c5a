import Domain
import Platform
import Synchronization

/// An observer that records its events.
final class RecordingObserver: ChangeObserver {
    private let recorded = Mutex<[Event]>([])

    var events: [Event] { recorded.withLock { $0 } }

    func eventsAppended(_ events: [Event], to app: LiveApp) {
        recorded.withLock { $0 += events }
    }
}

/// Returns the code of the error that `body` throws, or `nil` without one.
func code(_ body: () async throws -> Void) async throws -> PlatformError.Code? {
    do {
        try await body()
        return nil
    } catch let error as PlatformError {
        return error.code
    }
}

/// An error of the store.
let storeFailure = PlatformError(.storageFailed, "The store failed.", cause: "a test")
