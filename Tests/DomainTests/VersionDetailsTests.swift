import Domain
import Testing

struct VersionDetailsTests {
    private func fault(
        notes: String? = nil, commit: String? = nil, author: String? = nil
    ) -> VersionDetails.Fault? {
        do throws(VersionDetails.Fault) {
            _ = try VersionDetails(notes: notes, commit: commit, author: author)
            return nil
        } catch { return error }
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func `each text may be as long as its limit, and no byte longer`() {
        #expect(fault(notes: text(2000), commit: text(128), author: text(200)) == nil)
        #expect(fault(notes: text(2001)) == .notes)
        #expect(fault(commit: text(129)) == .commit)
        #expect(fault(author: text(201)) == .author)
        // The limit is in bytes.
        #expect(fault(author: String(repeating: "é", count: 100)) == nil)
        #expect(fault(author: String(repeating: "é", count: 101)) == .author)
        #expect(fault(notes: "") == .notes)
    }

    @Test(arguments: ["a\u{0}", "\u{1B}[31m", "a\tb", "a\r\nb", "\u{7F}", "\u{85}"])
    func `control characters are refused`(text: String) {
        #expect(fault(notes: text) == .notes)
        #expect(fault(commit: text) == .commit)
        #expect(fault(author: text) == .author)
    }

    @Test func `notes have lines, the others have one`() {
        #expect(fault(notes: "New:\n- faster\n") == nil)
        #expect(fault(commit: "a\nb") == .commit)
        #expect(fault(author: "a\nb") == .author)
        #expect(fault(author: "Zoë O'Neill <zoe@example.org> 👩‍💻") == nil)
    }
}

struct RetirementTests {
    private func obstacle(_ text: String, _ releases: Release..., at hours: Int64) throws -> Int64? {
        try Retirement.obstacle(to: Sample.version(text), among: releases, at: Sample.instant(hours))?.id.value
    }

    @Test func `an offered version cannot be retired, and a formerly offered one can`() throws {
        let first = try Sample.release(1, "1.0.0", madeAt: 0)
        let second = try Sample.release(2, "2.0.0", madeAt: 1)
        #expect(try obstacle("1.0.0", first, second, at: 2) == nil)
        #expect(try obstacle("2.0.0", first, second, at: 2) == 2)
        #expect(try obstacle("3.0.0", first, second, at: 2) == nil)
        #expect(try obstacle("1.0.0", at: 2) == nil)
    }

    @Test func `a scheduled version cannot be retired until another release hides it by then`() throws {
        let planned = try Sample.release(1, "1.0.0", madeAt: 0, activeAt: 10)
        #expect(try obstacle("1.0.0", planned, at: 2) == 1)
        // A later release that is active now: the scheduled one still replaces it.
        #expect(try obstacle("1.0.0", planned, try Sample.release(2, "2.0.0", madeAt: 1), at: 2) == 1)
        // A release for a later instant: devices have the scheduled one in between.
        #expect(try obstacle("1.0.0", planned, try Sample.release(2, "2.0.0", madeAt: 1, activeAt: 11), at: 2) == 1)
        let same = try Sample.release(2, "2.0.0", madeAt: 1, activeAt: 10, rank: planned.rank.value + 1000)
        #expect(try obstacle("1.0.0", planned, same, at: 2) == nil)
        #expect(try obstacle("2.0.0", planned, same, at: 2) == 2)
    }

    @Test func `a release on any channel is an obstacle, and the first one is named`() throws {
        let beta = try Sample.release(1, "1.0.0", madeAt: 5, channel: "beta")
        let production = try Sample.release(2, "2.0.0", madeAt: 6)
        #expect(try obstacle("1.0.0", beta, production, at: 7) == 1)
        let both = try Sample.release(3, "1.0.0", madeAt: 6, activeAt: 9)
        #expect(try obstacle("1.0.0", both, beta, production, at: 7) == 1)
    }
}
