import Domain
import Ground
import HTTP
import Synchronization

/// A cache of redirects to blobs that devices get from another machine (decision 0066).
///
/// Each redirect is made once for ``BlobLink/reuseTime``, so that a device that repeats a request gets the same URL.
final class BlobRedirects: Sendable {
    /// The number of cached redirects, of about 2 KiB each.
    static let capacity = 2_048

    private struct Entry {
        let response: PreparedResponse
        let madeAt: Timestamp
    }

    private let entries = Mutex(Generations<HotBlobs.Key, Entry>(capacity: capacity))

    /// Returns the redirect of a blob if it was made a short time before `now`.
    func find(_ key: HotBlobs.Key, at now: Timestamp) -> PreparedResponse? {
        guard let entry = entries.withLock({ $0.find(key) }) else { return nil }
        let age = now.milliseconds - entry.madeAt.milliseconds
        // A clock that was set back makes the age negative.
        return age >= 0 && age < Int64(BlobLink.reuseTime / .milliseconds(1)) ? entry.response : nil
    }

    /// Returns a redirect to a URL, and keeps it.
    func make(_ key: HotBlobs.Key, to url: String, at now: Timestamp) -> PreparedResponse {
        var fields: Fields = [
            .location: url,
            .cacheControl: "public, max-age=\(BlobLink.reuseTime.components.seconds)",
            .contentTypeOptions: "nosniff",
        ]
        CORS.add(to: &fields)
        // 302 instead of 307: both keep GET, and every client knows it.
        let response = PreparedResponse(.found, fields: fields)
        entries.withLock { $0.keep(Entry(response: response, madeAt: now), under: key) }
        return response
    }

    /// The number of cached redirects.
    var count: Int { entries.withLock { $0.count } }
}
