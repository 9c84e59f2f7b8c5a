import Domain
import Ground
import Testing

struct PollIntervalTests {
    @Test func `without a planned change the interval is the longest`() {
        #expect(PollInterval(before: nil, at: Sample.instant(0)).seconds == 600)
    }

    @Test(arguments: [0, 30] as [Int64])
    func `a client is at most 60 seconds late for a planned change, also by a response from a cache`(maxAge: Int64) {
        let now = Sample.instant(0)
        for distance in stride(from: maxAge, through: 1_000, by: 1) {
            let boundary = now.adding(milliseconds: distance * 1000)
            let interval = PollInterval(before: boundary, at: now, cachedFor: maxAge)
            let latest = boundary.adding(milliseconds: PollInterval.lateness * 1000)
            #expect(now.adding(milliseconds: (maxAge + interval.seconds) * 1000) <= latest, "\(distance)")
            if let end = interval.validThrough {
                #expect(end.adding(milliseconds: (maxAge + interval.seconds) * 1000) == latest, "\(distance)")
            }
        }
    }

    @Test(arguments: [(570, 600), (569, 300), (270, 300), (269, 60), (30, 60)] as [(Int64, Int64)])
    func `the interval of a response that is cached for 30 seconds gets shorter before a planned change`(
        distance: Int64, seconds: Int64
    ) {
        let boundary = Sample.instant(0).adding(milliseconds: distance * 1000)
        #expect(PollInterval(before: boundary, at: Sample.instant(0), cachedFor: 30).seconds == seconds)
    }
}
