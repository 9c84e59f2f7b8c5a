import Ground

/// The time over which the clients of an event spread their next requests (semantics.md §5).
///
/// All clients are notified at once. Each one then waits for a random part of this time before it asks for `/config`.
struct PushSpread: Equatable {
    /// The requests a second that follow an event: a fifth of what two cores serve.
    static let requestsPerSecond = 20_000
    /// The number of notified clients below which there is no spread.
    static let minimumClients = 1_000

    /// `nil` if the clients need not wait.
    let milliseconds: Int64?

    static let none = PushSpread(over: 0)

    init(over clients: Int) {
        milliseconds = clients < Self.minimumClients ? nil : Int64(clients * 1000 / Self.requestsPerSecond)
    }

    /// The member of the JSON objects of responses and events; none without a spread.
    var members: [JSON.Member] { milliseconds.map { [JSON.Member("spread", .integer($0))] } ?? [] }
}
