import Glibc
import Server
import Testing

@Suite(.serialized)
struct SignalsTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends the wait instead of the process`(number: Int32) async throws {
        let signals = try Signals()
        kill(getpid(), number)
        #expect(await signals.wait())
        async let next = signals.wait()
        kill(getpid(), number)
        #expect(await next)
    }

    @Test func `a cancelled wait ends without a signal`() async throws {
        let signals = try Signals()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await signals.wait() }
            group.cancelAll()
            #expect(await group.next() == false)
        }
    }
}
