import Glibc
import Server
import Testing

@Suite(.serialized)
struct SignalsTests {
    @Test(arguments: [(SIGTERM, Signals.Signal.terminate), (SIGINT, .interrupt)])
    func `a signal ends the wait instead of the process`(number: Int32, expected: Signals.Signal) async throws {
        let signals = try Signals()
        kill(getpid(), number)
        #expect(await signals.wait() == expected)
        async let next = signals.wait()
        kill(getpid(), number)
        #expect(await next == expected)
    }

    @Test func `a cancelled wait ends without a signal`() async throws {
        let signals = try Signals()
        await withTaskGroup(of: Signals.Signal?.self) { group in
            group.addTask { await signals.wait() }
            group.cancelAll()
            #expect(await group.next() == .some(nil))
        }
    }
}
