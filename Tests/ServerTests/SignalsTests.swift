import Glibc
import Server
import Testing

@Suite(.serialized)
struct SignalsTests {
    @Test(arguments: [(SIGTERM, Signals.Wish.stop), (SIGINT, .stop), (SIGHUP, .reload)])
    func `a signal ends the wait instead of the process`(number: Int32, wish: Signals.Wish) async throws {
        let signals = try Signals()
        kill(getpid(), number)
        #expect(await signals.next() == wish)
        async let next = signals.next()
        kill(getpid(), number)
        #expect(await next == wish)
    }

    @Test func `a cancelled wait ends without a signal`() async throws {
        let signals = try Signals()
        await withTaskGroup(of: Signals.Wish?.self) { group in
            group.addTask { await signals.next() }
            group.cancelAll()
            #expect(await group.next() == .some(nil))
        }
    }
}
