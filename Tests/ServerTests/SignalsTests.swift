import Glibc
import Server
import Testing

@Suite(.serialized)
struct SignalsTests {
    @Test(arguments: [(SIGTERM, Signals.Command.stop), (SIGINT, .stop), (SIGHUP, .reload)])
    func `a signal ends the wait instead of the process`(number: Int32, command: Signals.Command) async throws {
        let signals = try Signals()
        kill(getpid(), number)
        #expect(await signals.next() == command)
        async let next = signals.next()
        kill(getpid(), number)
        #expect(await next == command)
    }

    @Test func `a cancelled wait ends without a signal`() async throws {
        let signals = try Signals()
        await withTaskGroup(of: Signals.Command?.self) { group in
            group.addTask { await signals.next() }
            group.cancelAll()
            #expect(await group.next() == .some(nil))
        }
    }
}
