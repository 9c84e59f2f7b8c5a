import Execution
import Ground
package import HTTP
import Synchronization

/// Lists that were asked for lately, ready to be sent: whole within a budget of bytes, and for longer what needs no body.
///
/// A key stands for one content for ever.
package final class ReadyLists<Key: Hashable & Sendable>: Sendable {
    /// The maximum number of lists whose head is kept, a kilobyte or two each.
    package static var keptHeads: Int { 1024 }

    private let whole: Mutex<Generations<Key, PreparedResource>>
    private let heads = Mutex(Generations<Key, PreparedOutline>(capacity: keptHeads))

    /// - Parameter budget: Bytes of all bodies in all codings. A list that takes more than half of it is not kept.
    package init(budget: Int) {
        whole = Mutex(Generations(capacity: budget))
    }

    /// The answer to a request; `nil` if the list has to be made for it.
    package func answer(to head: RequestHead, for key: Key) -> PreparedResponse? {
        find(key)?.answer(to: head) ?? heads.withLock { $0.find(key) }?.answer(to: head)
    }

    package func find(_ key: Key) -> PreparedResource? { whole.withLock { $0.find(key) } }

    package func keep(_ resource: PreparedResource, of body: CodedBody, under key: Key) {
        whole.withLock { $0.keep(resource, under: key, cost: body.size) }
        heads.withLock { $0.keep(PreparedOutline(of: resource), under: key) }
    }
}
