import Ground
import Testing

struct GenerationsTests {
    @Test func `kept values cost at most the capacity, and the last requested ones stay`() {
        var kept = Generations<Int, Int>(capacity: 100)
        for key in 0..<50 {
            kept.keep(key, under: key, cost: 10)
            #expect(kept.cost <= 100)
            #expect(kept.find(0) == 0)
        }
        #expect(kept.find(49) == 49 && kept.find(30) == nil)
    }

    @Test func `a value that costs more than half the capacity is not kept`() {
        var kept = Generations<String, Int>(capacity: 100)
        kept.keep(1, under: "half", cost: 50)
        kept.keep(2, under: "more", cost: 51)
        #expect(kept.find("half") == 1 && kept.find("more") == nil)
    }

    @Test func `replacing a value releases its cost`() {
        var kept = Generations<String, Int>(capacity: 100)
        for value in 0..<9 { kept.keep(value, under: "a", cost: 30) }
        #expect(kept.cost == 30 && kept.count == 1 && kept.find("a") == 8)
    }
}
