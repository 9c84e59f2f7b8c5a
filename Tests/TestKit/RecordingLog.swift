import Domain
import Synchronization

/// A log that records its lines.
package final class RecordingLog: Log {
    private let lines = Mutex<[String]>([])

    package init() {}

    package func write(_ event: String, _ fields: KeyValuePairs<String, String>) {
        let text = fields.reduce(event) { "\($0) \($1.key)=\($1.value)" }
        lines.withLock { $0.append(text) }
    }

    package var all: [String] { lines.withLock { $0 } }
}
