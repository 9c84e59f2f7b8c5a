import Domain
import Ground
import Testing

struct BasisPointsTests {
    @Test(arguments: [
        ("0", 0), ("0.01", 1), ("0.1", 10), ("0.10", 10), ("1", 100), ("2.5", 250), ("2.05", 205), ("99.99", 9999),
        ("100", 10_000), ("100.0", 10_000), ("100.00", 10_000),
    ])
    func `a percentage is read in hundredths`(text: String, value: Int) {
        #expect(BasisPoints(percent: text)?.value == value)
    }

    @Test(arguments: [
        "", ".", "1.", ".5", "-1", "+1", "100.01", "101", "1000", "0.001", "1.234", "1e1", "1,5", "1.2.3", " 1", "1 ",
        "5%", "١",
    ])
    func `any other text is not a percentage`(text: String) {
        #expect(BasisPoints(percent: text) == nil)
    }

    @Test func `every share is written so that it is read again, in as few digits as it needs`() throws {
        for value in 0...10_000 {
            let share = try #require(BasisPoints(value))
            #expect(BasisPoints(percent: share.percent) == share)
        }
        let texts = [0, 1, 10, 100, 205, 250, 9999, 10_000].compactMap { BasisPoints($0)?.percent }
        #expect(texts == ["0", "0.01", "0.1", "1", "2.05", "2.5", "99.99", "100"])
    }

    @Test func `shares go from 0 to 10,000`() {
        #expect(BasisPoints(-1) == nil && BasisPoints(10_001) == nil)
        #expect(BasisPoints(0) == BasisPoints.none && BasisPoints(10_000) == BasisPoints.all)
        #expect(BasisPoints.none < .all)
    }
}

struct PlanDurationTests {
    @Test(arguments: [
        ("0s", 0), ("1s", 1000), ("90m", 5_400_000), ("2h", 7_200_000), ("3d", 259_200_000), ("366d", 31_622_400_000),
        ("31622400s", 31_622_400_000), ("007s", 7000),
    ])
    func `a length of time is read in milliseconds`(text: String, milliseconds: Int64) {
        #expect(PlanDuration.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "s", "5", "-1s", "+1s", "1.5h", "1w", "1H", "1 h", "1h ", " 1h", "1h30m", "ms", "1ms", "367d", "31622401s",
        "9999999999s", "999999999d", "١h",
    ])
    func `any other text, and more than a year, is not a length of time`(text: String) {
        #expect(PlanDuration.milliseconds(text) == nil)
    }

    @Test(arguments: [
        (0, "0s"), (1000, "1s"), (60_000, "1m"), (61_000, "61s"), (5_400_000, "90m"), (7_200_000, "2h"),
        (86_400_000, "1d"),
        (90_000_000, "25h"),
    ])
    func `a duration is written in the largest unit that divides it, and read again`(milliseconds: Int64, text: String)
    {
        #expect(PlanDuration.text(milliseconds) == text)
        #expect(PlanDuration.milliseconds(text) == milliseconds)
    }
}

struct RolloutTests {
    private func steps(_ pairs: [(Int, Int64)]) throws -> [Rollout.Step] {
        try pairs.map { .init(percent: try #require(BasisPoints($0.0)), after: $0.1) }
    }

    @Test func `a plan's times and percentages rise`() throws {
        #expect(try Rollout.isPlan(steps([(0, 0)])))
        #expect(try Rollout.isPlan(steps([(100, 0), (101, 1)])))
        #expect(try Rollout.isPlan(steps([(100, 5), (10_000, Rollout.maximumAfter)])))
        #expect(try !Rollout.isPlan(steps([])))
        #expect(try !Rollout.isPlan(steps([(100, 0), (100, 1)])))
        #expect(try !Rollout.isPlan(steps([(100, 0), (99, 1)])))
        #expect(try !Rollout.isPlan(steps([(100, 1), (200, 1)])))
        #expect(try !Rollout.isPlan(steps([(100, 2), (200, 1)])))
        #expect(try !Rollout.isPlan(steps([(100, -1)])))
        #expect(try !Rollout.isPlan(steps([(100, Rollout.maximumAfter + 1)])))
    }

    @Test func `one step after the first may be without rules, also at the percentage of the one before`() throws {
        func isPlan(_ pairs: [(Int, Int64)], withoutRules indices: Int...) throws -> Bool {
            var steps = try steps(pairs)
            for index in indices { steps[index].isWithoutRules = true }
            return Rollout.isPlan(steps)
        }
        #expect(try isPlan([(100, 0), (200, 1)], withoutRules: 1))
        #expect(try isPlan([(100, 0), (100, 1)], withoutRules: 1))
        #expect(try isPlan([(100, 0), (100, 1), (200, 2)], withoutRules: 1))
        #expect(try !isPlan([(100, 0), (99, 1)], withoutRules: 1))
        #expect(try !isPlan([(100, 0), (100, 1), (100, 2)], withoutRules: 1))
        #expect(try !isPlan([(100, 0), (200, 1)], withoutRules: 0))
        #expect(try !isPlan([(100, 0), (200, 1), (300, 2)], withoutRules: 1, 2))
    }

    @Test func `50 steps are a plan, 51 are none`() throws {
        let many = (1...Rollout.maximumSteps + 1).map { ($0, Int64($0)) }
        #expect(try Rollout.isPlan(steps(many.dropLast())))
        #expect(try !Rollout.isPlan(steps(many)))
    }

    @Test func `a step is read as it is written, and any other text is refused`() throws {
        let step = try #require(try steps([(250, 7_200_000)]).first)
        #expect(step.json == .array([.integer(250), .integer(7_200_000)]))
        #expect(Rollout.Step(step.json) == step)
        let wrong: [JSON] = [
            .null, .array([.integer(1)]), .array([.integer(1), .integer(2), .integer(3)]), .array(["1", .integer(2)]),
            .array([.integer(10_001), .integer(0)]), .array([.integer(-1), .integer(0)]),
        ]
        for json in wrong { #expect(Rollout.Step(json) == nil) }
    }
}
