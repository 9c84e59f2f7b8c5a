import Domain
import Store
import Testing

struct MigratorTests {
    @Test func `a new database has a random epoch`() throws {
        let one = try SQLiteStore(opening: .memory)
        let other = try SQLiteStore(opening: .memory)
        #expect(one.epoch != other.epoch)
    }
}
