import Domain
import Testing

struct ResolutionFixtureTests {
    @Test func `every file of cases can be read, and no two cases have one name`() throws {
        #expect(!ResolutionCase.files.isEmpty)
        let cases = try ResolutionCase.files.flatMap { try ResolutionCase.read($0) }
        #expect(Set(cases.map(\.testDescription)).count == cases.count)
        #expect(cases.allSatisfy { !$0.expectations.isEmpty })
    }

    @Test func `there are 150 cases at least`() {
        #expect(ResolutionCase.all.count >= 150)
    }

    @Test(arguments: ResolutionCase.all)
    func `the device gets what the case says, for its reason`(fixture: ResolutionCase) throws {
        let snapshot = fixture.snapshot
        for (package, expected) in fixture.expectations {
            var resolution = Resolution(snapshot, facts: fixture.facts, at: fixture.instant)
            let standing = resolution.decision(for: package)
            let releases = fixture.releases.filter { $0.package == package }
            #expect(standing.current?.release.version.text ?? "-" == expected.now, "\(package)")
            #expect(standing.next?.release.version.text ?? "-" == expected.next, "\(package)")
            let name = { (rank: Rank?) in releases.first { $0.rank == rank }.map { "\($0.id)" } ?? "-" }
            if let mandatoryAfter = expected.mandatoryAfter {
                #expect(name(standing.current?.mandatoryAfter) == mandatoryAfter)
            }
            if let mandatoryAfter = expected.nextMandatoryAfter {
                #expect(name(standing.next?.mandatoryAfter) == mandatoryAfter)
            }
            if let mandatory = expected.mandatory {
                #expect(standing.current?.isMandatory.map { "\($0)" } ?? "-" == mandatory)
            }
            try compare(resolution.trace(of: package), with: expected.why)
        }
    }

    private func compare(_ looks: [RuleCheck], with lines: [String]) throws {
        let found = looks.map { look in
            let verdict = look.refusal?.description ?? (look.isHidden ? "hidden" : "offered")
            return "\(look.release.id): \(verdict)"
        }
        guard looks.count == lines.count else {
            Issue.record("looked at \(found), not at \(lines)")
            return
        }
        for (look, (line, found)) in zip(looks, zip(lines, found)) {
            let id = "\(look.release.id): "
            #expect(line.hasPrefix(id), "\(found)")
            let reason = line.dropFirst(id.count)
            if look.refusal == nil { #expect(found == line) } else { #expect(found.contains(reason), "\(line)") }
        }
    }
}
