import Execution
import Ground
package import HTTP
import Synchronization

/// A cache of prepared lists: whole lists within a budget of bytes, and heads of further lists for bodiless responses.
///
/// A key always stands for the same content.
package final class ReadyLists<Key: Hashable & Sendable>: Sendable {
    /// The number of lists whose head is cached, one or two kilobytes each.
    package static var keptHeads: Int { 1024 }

    private let whole: Mutex<Generations<Key, PreparedResource>>
    private let heads = Mutex(Generations<Key, PreparedOutline>(capacity: keptHeads))

    /// - Parameter budget: The bytes of all bodies in all codings; a list of more than half of it is not cached.
    package init(budget: Int) {
        whole = Mutex(Generations(capacity: budget))
    }

    /// Returns the response to a request; `nil` if the list has to be made for it.
    package func respond(to head: RequestHead, for key: Key) -> PreparedResponse? {
        find(key)?.respond(to: head) ?? heads.withLock { $0.find(key) }?.respond(to: head)
    }

    package func find(_ key: Key) -> PreparedResource? { whole.withLock { $0.find(key) } }

    package func keep(_ resource: PreparedResource, of body: CodedBody, under key: Key) {
        whole.withLock { $0.keep(resource, under: key, cost: body.size) }
        heads.withLock { $0.keep(PreparedOutline(of: resource), under: key) }
    }
}
