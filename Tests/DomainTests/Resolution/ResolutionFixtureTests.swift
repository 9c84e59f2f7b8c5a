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
    func `the device gets the version of the case, for the reason of the case`(fixture: ResolutionCase) throws {
        let snapshot = fixture.snapshot
        for (package, expected) in fixture.expectations {
            var resolution = Resolution(snapshot, facts: fixture.facts, at: fixture.instant)
            let decision = resolution.decision(for: package)
            let releases = fixture.releases.filter { $0.package == package }
            #expect(decision.current?.release.version.text ?? "-" == expected.now, "\(package)")
            #expect(decision.next?.release.version.text ?? "-" == expected.next, "\(package)")
            let name = { (rank: Rank?) in releases.first { $0.rank == rank }.map { "\($0.id)" } ?? "-" }
            if let mandatoryAfter = expected.mandatoryAfter {
                #expect(name(decision.current?.mandatoryAfter) == mandatoryAfter)
            }
            if let mandatoryAfter = expected.nextMandatoryAfter {
                #expect(name(decision.next?.mandatoryAfter) == mandatoryAfter)
            }
            if let mandatory = expected.mandatory {
                #expect(decision.current?.isMandatory.map { "\($0)" } ?? "-" == mandatory)
            }
            try compare(resolution.trace(of: package), with: expected.why)
        }
    }

    private func compare(_ checks: [RuleCheck], with lines: [String]) throws {
        let found = checks.map { check in
            let verdict = check.refusal?.description ?? (check.isHidden ? "hidden" : "offered")
            return "\(check.release.id): \(verdict)"
        }
        guard checks.count == lines.count else {
            Issue.record("looked at \(found), not at \(lines)")
            return
        }
        for (check, (line, found)) in zip(checks, zip(lines, found)) {
            let id = "\(check.release.id): "
            #expect(line.hasPrefix(id), "\(found)")
            let reason = line.dropFirst(id.count)
            if check.refusal == nil { #expect(found == line) } else { #expect(found.contains(reason), "\(line)") }
        }
    }
}
