import Domain
import HTTP

/// A request for a `/config` document.
struct ConfigRequest: Sendable {
    let head: RequestHead
    /// The app, the channel and the legacy key.
    let base: ClientBase
    /// The device facts and the requested packages; `nil` selects the document for requests without facts.
    let device: DeviceQuery?
    let signature: SignaturePreference

    init(_ head: RequestHead, at base: ClientBase, by deviceIDs: DeviceIDs) {
        let query = head.hasQuery ? DeviceQuery(head.query, of: base.app, by: deviceIDs) : nil
        self.head = head
        self.base = base
        device = query.flatMap { $0.isEmpty ? nil : $0 }
        signature = SignaturePreference(head, query)
    }

    /// Whether the client accepts a compressed response.
    var acceptsCoding: Bool { AcceptedCodings(head).acceptsAny }

    /// Whether the response may have no body.
    var mayBeBodiless: Bool { head.method == .head || head[.ifNoneMatch] != nil }
}
