import Domain
import Platform
import ServiceKit
import Synchronization
import TestKit
import Testing

/// Tests the watch over the metadata store, and the age of the state in memory.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct StoreWatchTests {
    @Test func `the state has an age from its last confirmation on, but only while the store is lost`() {
        let clock = ManualInstant()
        let contact = StoreContact { clock.now }
        #expect(contact.snapshotAge == nil)
        clock.advance(.seconds(100))
        contact.confirm()
        clock.advance(.seconds(7))
        #expect(contact.snapshotAge == nil)
        #expect(contact.unconfirmed == .seconds(7))
        contact.lose()
        #expect(contact.snapshotAge == 7)
        clock.advance(.milliseconds(1))
        #expect(contact.snapshotAge == 8)
        contact.confirm()
        #expect(contact.snapshotAge == nil)
        // Never zero, which means a current state in the metrics.
        contact.lose()
        #expect(contact.snapshotAge == 1)
    }

    @Test func `a store that fails its check is lost until it passes one, and each change is reported`() async throws {
        let service = try await TestService()
        let contact = StoreContact()
        let watch = StoreWatch(service.store, contact: contact, interval: .milliseconds(2))
        let reports = Mutex<[PlatformError.Code?]>([])
        let loop = Task { await watch.run { error in reports.withLock { $0.append(error?.code) } } }
        service.store.setBefore(.check) { () throws(PlatformError) in throw PlatformError(.storageUnavailable, "gone") }
        while contact.snapshotAge == nil { await Task.yield() }
        service.store.setBefore(.check, nil)
        while contact.snapshotAge != nil { await Task.yield() }
        while reports.withLock({ $0.count }) < 2 { await Task.yield() }
        loop.cancel()
        await loop.value
        #expect(reports.withLock { $0 } == [.storageUnavailable, nil])
    }

    @Test func `a store whose check does not end is lost after the patience`() async throws {
        let service = try await TestService()
        let contact = StoreContact()
        let watch = StoreWatch(
            service.store, contact: contact, interval: .milliseconds(2), patience: .milliseconds(20))
        let held = Gate()
        service.store.setBefore(.check) { () throws(PlatformError) in held.pass() }
        let loop = Task { await watch.run { _ in } }
        while contact.snapshotAge == nil { await Task.yield() }
        #expect(held.isHolding)
        held.open()
        while contact.snapshotAge != nil { await Task.yield() }
        loop.cancel()
        await loop.value
    }
}
