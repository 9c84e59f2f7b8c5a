import Domain
import Files
import Ground
import HTTP
import Transport

extension SyncEngine {
    /// Fetches the keys and the config, and stores both.
    func refresh(cursor: String?) throws(SyncError) -> ConfigBody {
        try refreshKeys()
        let config = try refreshConfig(cursor: cursor)
        self.config = config
        try saveState()
        return config
    }

    // MARK: Keys

    private func refreshKeys() throws(SyncError) {
        let path = "/keys.json"
        let response = try get(path, fields: Fields())
        guard response.head.status == 200 else { throw refusal(path, response) }
        let trust: SyncResult.Trust =
            options.rootKey != nil ? .pinned : state.rootKey != nil ? .remembered : .firstUse
        let changed: Bool
        do throws(KeyRefusal) {
            let trusted = try TrustedKeys(
                response.body, expecting: expectation, at: latestTime, by: cryptography)
            keys = (trusted, trust)
            let before = state
            state.take(trusted, pinning: options.rootKey?.hex)
            changed = state != before
        } catch {
            throw .keys(error)
        }
        // Saved before the config is fetched: if that fails, replaced keys must not be trusted again.
        if changed { try saveState() }
    }

    private var expectation: TrustedKeys.Expectation {
        let left = state.leftRoots
        // A pinned key that was replaced is no longer the expected one.
        let pinned = options.rootKey.flatMap { left.contains($0.hex) ? nil : $0.hex }
        return TrustedKeys.Expectation(
            pinnedRoot: pinned, rememberedRoot: state.rootKey, formerRoots: left, app: state.app,
            seenNumber: state.keysNumber)
    }

    // MARK: Requests

    func get(_ path: String, fields: Fields) throws(SyncError) -> ClientResponse {
        do throws(TransportError) {
            let response = try client.send(ClientRequest(.get, options.base.appending(path), fields: fields))
            serverClock.observe(response.head)
            return response
        } catch { throw .transport(error) }
    }

    func refusal(_ path: String, _ response: ClientResponse) -> SyncError {
        .refused(path: path, status: response.head.status, detail: JSON(parsing: response.body)?["detail"]?.string)
    }
}
