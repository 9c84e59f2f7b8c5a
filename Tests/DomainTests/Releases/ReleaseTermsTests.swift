import Domain
import Ground
import Testing

/// The codec of a release's terms.
struct ReleaseTermsTests {
    private func read(_ text: String) throws -> ReleaseTerms {
        var reader = try JSONReader(Array(text.utf8))
        let terms = try ReleaseTerms(&reader, salt: Sample.salt())
        try reader.finish()
        return terms
    }

    /// Terms with a value in every attribute.
    private func full() throws -> ReleaseTerms {
        var terms = try read(
            """
            {"whitelist": "testers", "excluded": "staff", "plan": [{"percent": 2.5, "after": "0s"}], "mandatory": true,
             "rules": [{"fact": "region", "in": ["CN", "\\"\\u00e9"]}, {"fact": "appVersion", "range": ">=8.3 <9"}],
             "updateMode": "prompt", "wifiOnly": true,
             "health": {"rules": [{"metric": "crashes", "ceiling": 2.5, "aboveControl": 10, "action": "pause"}]},
             "floor": {"version": "1.0.0", "reason": "new \\"store\\"", "withoutHave": "withhold"}}
            """)
        terms.downloads = DownloadWindow(
            opensAt: Sample.start.adding(milliseconds: 7), bytesPerSecond: 5, devices: 6, round: 7001)
        return terms
    }

    private func restored(_ terms: ReleaseTerms) throws -> ReleaseTerms {
        let json = try #require(JSON(parsing: terms.stored.bytes()))
        return try ReleaseTerms(stored: json, salt: try Sample.salt()).completed(
            whitelist: terms.audience.whitelist, excluded: terms.audience.excluded, rollout: terms.rollout,
            salt: terms.salt)
    }

    @Test func `terms without a member have the defaults`() throws {
        #expect(try read("{}") == ReleaseTerms(salt: try Sample.salt()))
        #expect(try read(#"{"floor": null, "plan": null, "percent": null}"#) == ReleaseTerms(salt: try Sample.salt()))
    }

    @Test(arguments: [
        ("{}", 10_000), (#"{"whitelist": "testers"}"#, 0), (#"{"plan": [{"percent": 5, "after": "1h"}]}"#, 0),
        (#"{"percent": 0}"#, 0), (#"{"whitelist": "testers", "percent": 12.5}"#, 1250),
    ])
    func `without a percentage all are in, beside a list or a plan none`(text: String, percent: Int) throws {
        #expect(try read(text).rollout.percent.value == percent)
    }

    @Test func `stored terms are read back as they were`() throws {
        let terms = try full()
        #expect(try restored(terms) == terms)
        let plain = ReleaseTerms(salt: try Sample.salt())
        #expect(try restored(plain) == plain)
        #expect(plain.stored.text == #"{"mandatory":false,"updateMode":"silent","wifiOnly":false}"#)
    }

    @Test func `terms are written as they are read`() throws {
        let terms = try full()
        var members = terms.commonMembers + terms.planMembers + terms.conditionMembers
        members.removeAll { $0.key == ReleaseTerms.Name.downloads }
        var written = try read(JSON.object(members).text)
        written.downloads = terms.downloads
        #expect(written == terms)
    }

    @Test func `a plan ends without rules only if the release has some`() throws {
        let plan = #""plan": [{"percent": 5, "after": "0s"}, {"percent": 100, "after": "1d", "withoutRules": true}]"#
        let rules = #""rules": [{"fact": "region", "in": ["CN"]}]"#
        let terms = try read("{\(plan), \(rules)}")
        #expect(terms.rollout.steps.map(\.isWithoutRules) == [false, true])
        #expect(try read(JSON.object(terms.commonMembers + terms.planMembers + terms.conditionMembers).text) == terms)
        var ending = terms
        ending.finishPlan()
        #expect(ending.audience.rules.isEmpty && ending.rollout == .toEveryone)
        let error = #expect(throws: PlatformError.self) { try read("{\(plan)}") }
        #expect(
            error?.code == .invalidRequest
                && error?.message.contains("drops the audience rules, but the release has none") == true)
        for wrong in [#""withoutRules": 1"#, #""withoutRules": null"#, #""without": true"#] {
            #expect(throws: PlatformError.self) {
                try read(
                    #"{"plan": [{"percent": 5, "after": "0s"}, {"percent": 6, "after": "1s", \#(wrong)}], \#(rules)}"#)
            }
        }
    }

    @Test func `stored terms with an unknown attribute are not read`() throws {
        let json = try #require(JSON(parsing: Array(#"{"mandatory": true, "narrower": true}"#.utf8)))
        #expect(throws: PlatformError.self) {
            try ReleaseTerms(stored: json, salt: try Sample.salt())
        }
    }
}
