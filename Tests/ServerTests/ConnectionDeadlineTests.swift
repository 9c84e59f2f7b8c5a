import Testing

@testable import Server

struct ConnectionDeadlineTests {
    private func at(_ seconds: Int) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

    private func expectNext(
        _ deadline: ConnectionDeadline, _ moment: Instant, _ cause: ConnectionDeadline.Cause,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(deadline.next.moment == moment, sourceLocation: location)
        #expect(deadline.next.cause == cause, sourceLocation: location)
    }

    @Test func `without a clock there is no deadline`() {
        #expect(ConnectionDeadline().next.moment == .distantFuture)
    }

    @Test func `input counts while no output is held up, and again afterwards`() {
        var deadline = ConnectionDeadline(input: at(10))
        expectNext(deadline, at(10), .input)
        deadline.output = at(30)
        expectNext(deadline, at(30), .output)
        deadline.output = nil
        expectNext(deadline, at(10), .input)
    }

    @Test func `the end of the whole counts whether output is held up or not`() {
        var deadline = ConnectionDeadline(input: at(20), end: at(10))
        expectNext(deadline, at(10), .end)
        deadline.output = at(30)
        expectNext(deadline, at(10), .end)
        deadline.output = at(5)
        expectNext(deadline, at(5), .output)
        deadline.output = nil
        deadline.input = at(5)
        expectNext(deadline, at(5), .input)
    }

    @Test func `output without an end is held up for ever, whatever input has`() {
        #expect(ConnectionDeadline(input: at(10), output: .distantFuture).next.moment == .distantFuture)
    }
}
