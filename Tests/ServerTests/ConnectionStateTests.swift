import HTTP
import Testing

@testable import Server

/// The phases that a test brings a connection's state to.
private enum Stage: CaseIterable {
    case handshake, idle, idleAgain, head, skipping, handling, waiting, closing, lingering, closed
}

private let start = Instant(nanoseconds: 0)
private let deadlines = Deadlines()

private func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

private func expect<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ location: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: location)
}

private func request(isPersistent: Bool = true, method: Method = .get, minorVersion: Int = 1) -> RequestHead {
    var head = RequestHead()
    head.isPersistent = isPersistent
    head.method = method
    head.minorVersion = minorVersion
    return head
}

extension ConnectionState {
    /// A state at this stage, opened at second 0; what followed happened at second 1.
    fileprivate init(_ stage: Stage) {
        self.init(isEncrypted: stage == .handshake)
        _ = open(at: start, deadlines)
        switch stage {
        case .handshake, .idle: break
        case .idleAgain: respond(isBodyUnread: false)
        case .head: _ = beginHead(at: at(1), deadlines)
        case .skipping: respond(isBodyUnread: true)
        case .handling:
            beginRequest(request(), limit: 100)
            _ = beginHandling(bodyLimit: nil, at: at(1), deadlines)
        case .waiting:
            beginRequest(request(), limit: 100)
            park(at: at(1))
            _ = awaitEvent(until: at(61))
        case .closing: beginClosing()
        case .lingering:
            beginClosing()
            _ = linger(at: at(1), deadlines)
        case .closed: close()
        }
    }

    /// Receives a request and queues its response.
    fileprivate mutating func respond(
        to head: RequestHead = request(), isBodyUnread: Bool = false, limit: Int = 100
    ) {
        beginRequest(head, limit: limit)
        beginBody(limit: 10)
        finishResponse(isBodyUnread: isBodyUnread)
        if isBodyUnread || phase == .idle { _ = awaitInput(at: at(1), deadlines) }
    }
}

/// Tests the steps that the socket's events cause.
struct ConnectionEventTests {
    fileprivate static let steps: [(Stage, ConnectionStep)] = [
        (.handshake, .readRequests), (.idle, .readRequests), (.idleAgain, .readRequests), (.head, .readRequests),
        (.skipping, .readRequests), (.handling, .readBody), (.waiting, .rest), (.closing, .finish),
        (.lingering, .discardInput), (.closed, .rest),
    ]

    @Test(arguments: steps)
    fileprivate func `input is read by the connection, left to a handler, left unread, or discarded`(
        stage: Stage, step: ConnectionStep
    ) {
        var state = ConnectionState(stage)
        #expect(!state.mayRead)
        expect(state.react(to: .readable), step)
        #expect(state.mayRead)
    }

    @Test(arguments: steps)
    fileprivate func `a peer that ends its stream ends only a poll`(stage: Stage, step: ConnectionStep) {
        for events in [Epoll.Events.peerFinished, .hungUp, .failed] {
            var state = ConnectionState(stage)
            expect(state.react(to: events), stage == .waiting ? .close : step)
        }
    }

    @Test(arguments: steps)
    fileprivate func `pending output is sent before anything else`(stage: Stage, step: ConnectionStep) {
        var state = ConnectionState(stage)
        state.block()
        #expect(state.isBlocked)
        #expect(state.next == .rest)
        #expect(state.input == nil)
        expect(state.react(to: .readable), .rest)
        expect(state.react(to: .writable), .send)
        expect(state.react(to: .failed), .send)
        state = ConnectionState(stage)
        state.block()
        state.unblock()
        #expect(state.next == step)
    }

    @Test func `a connection that gave way to others sends on without an event`() {
        var state = ConnectionState(.idle)
        state.yield()
        state.block()
        expect(state.react(to: .readable), .rest)
        expect(state.queue(), true)
        expect(state.resume(), .send)
        state.unblock()
        #expect(state.next == .readRequests)
    }

    @Test func `a connection is queued for the next iteration once`() {
        var state = ConnectionState(.idle)
        expect(state.queue(), true)
        expect(state.queue(), false)
        expect(state.resume(), .readRequests)
        expect(state.queue(), true)
    }

    @Test func `a short read empties the socket unless the end of the stream follows`() {
        var state = ConnectionState(.idle)
        _ = state.react(to: .readable)
        state.noteShortRead()
        #expect(!state.mayRead)
        _ = state.react(to: [.readable, .peerFinished])
        state.noteShortRead()
        #expect(state.mayRead)
        state.noteEmptySocket()
        #expect(!state.mayRead)
        state.noteInput()
        #expect(state.mayRead)
    }

    @Test(
        arguments: [
            (.handshake, .head), (.idle, .head), (.idleAgain, .head), (.head, .head), (.skipping, .skippedBody),
            (.handling, nil), (.waiting, nil), (.closing, nil), (.lingering, nil), (.closed, nil),
        ] as [(Stage, ConnectionState.Input?)])
    fileprivate func `input is a head, or a body to discard, or not processed`(
        stage: Stage, input: ConnectionState.Input?
    ) {
        #expect(ConnectionState(stage).input == input)
        #expect(ConnectionState(stage).readsRequests == (input != nil))
    }

    @Test func `input that came early is kept until a response is made, and dropped after the last one`() {
        let dropping = Stage.allCases.filter { !ConnectionState($0).keepsInput }
        #expect(dropping == [.closing, .lingering, .closed])
    }

    @Test func `a response is owed while a handler or a poll is in progress`() {
        #expect(Stage.allCases.filter { ConnectionState($0).owesResponse } == [.handling, .waiting])
        let between = Stage.allCases.filter { ConnectionState($0).isBetweenResponses }
        #expect(between == [.handshake, .idle, .idleAgain, .head])
        var state = ConnectionState(.idle)
        state.beginRequest(request(), limit: 100)
        #expect(!state.isBetweenResponses)
    }

    @Test(arguments: [true, false])
    func `a connection without a request waits for bytes in flight, and any other closes`(isInFlight: Bool) {
        for stage in Stage.allCases {
            let isFinished = isInFlight && [.handshake, .idle, .idleAgain, .head, .skipping].contains(stage)
            #expect(ConnectionState(stage).end(isInFlight: isInFlight) == (isFinished ? .finish : .close))
        }
    }
}

/// Tests when a connection goes on after a response.
struct ConnectionReuseTests {
    @Test(arguments: [
        (request(), false, 2, false), (request(isPersistent: false), false, 2, true), (request(), true, 2, true),
        (request(), false, 1, true), (request(method: .head, minorVersion: 0), false, 2, false),
    ])
    func `a connection closes after a request that is not persistent, during a drain, and at the limit of requests`(
        head: RequestHead, isDraining: Bool, limit: Int, closes: Bool
    ) {
        var state = ConnectionState(.idle)
        if isDraining { _ = state.drain(holdsExchange: true) }
        state.beginRequest(head, limit: limit)
        #expect(state.phase == .responding)
        #expect(state.closes == closes)
        #expect(state.omitsBody == (head.method == .head))
        #expect(state.isOld == (head.minorVersion == 0))
        state.finishResponse(isBodyUnread: false)
        #expect(state.phase == (closes ? .closing : .idle))
        #expect(state.afterInput == (closes ? .finish : .awaitInput))
    }

    @Test func `facts of a request end with it`() {
        var state = ConnectionState(.idle)
        state.respond(to: request(method: .head, minorVersion: 0))
        state.beginRequest(request(), limit: 100)
        #expect(!state.omitsBody && !state.isOld)
    }

    @Test func `a connection that makes way closes after its response`() {
        var state = ConnectionState(.waiting)
        state.closeAfterResponse()
        _ = state.unpark()
        state.finishResponse(isBodyUnread: false)
        #expect(state.phase == .closing)
    }

    @Test func `a rejected head ends the connection, and its response has a body`() {
        var state = ConnectionState(.idle)
        state.respond(to: request(method: .head, minorVersion: 0))
        state.refuse()
        #expect(!state.omitsBody && !state.isOld)
        state.finishResponse(isBodyUnread: true)
        #expect(state.phase == .closing)
    }

    @Test(
        arguments: [
            (10, false, false), (11, false, true), (nil, false, false), (0, true, true), (nil, true, true),
        ] as [(Int?, Bool, Bool)])
    func `an unread body closes the connection if it is too long or may never arrive`(
        remaining: Int?, isExpected: Bool, closes: Bool
    ) {
        var state = ConnectionState(.idle)
        state.beginRequest(request(), limit: 100)
        state.leaveBody(remaining: remaining, isExpected: isExpected, limit: 10)
        #expect(state.closes == closes)
    }

    @Test(arguments: [
        ([10], true, ConnectionState.Phase.idle), ([4, 6], false, .skipping), ([4, 7], false, .closing),
        ([11], true, .idle),
    ])
    func `a body is discarded up to its limit`(pieces: [Int], isComplete: Bool, phase: ConnectionState.Phase) {
        var state = ConnectionState(.skipping)
        for piece in pieces.dropLast() { state.skip(piece, isComplete: false) }
        state.skip(pieces[pieces.count - 1], isComplete: isComplete)
        #expect(state.phase == phase)
        #expect(state.closes == (phase == .closing))
    }

    @Test func `a discarded body without a known end ends the connection`() {
        var state = ConnectionState(.skipping)
        state.loseBody()
        #expect(state.afterInput == .finish)
        #expect(state.closes)
    }
}

/// Tests the deadlines of each state.
struct ConnectionStateDeadlineTests {
    @Test(arguments: [
        (Stage.handshake, at(10), ConnectionStep.end), (.idle, at(75), .end), (.idleAgain, at(76), .end),
        (.head, at(11), .refuse), (.skipping, at(31), .close), (.waiting, at(61), .expireWait),
        (.lingering, at(31), .checkLingering),
    ])
    fileprivate func `each wait for the peer has a deadline with a step`(
        stage: Stage, moment: Instant, step: ConnectionStep
    ) {
        var state = ConnectionState(stage)
        #expect(state.deadline.next.moment == moment)
        expect(state.expire(), step)
        if stage != .lingering { #expect(state.deadline.next.moment == .distantFuture) }
    }

    @Test(
        arguments: [
            (nil, .distantFuture), (Deadlines.smallBodyBytes, at(61)), (Deadlines.smallBodyBytes + 1, .distantFuture),
        ] as [(Int?, Instant)])
    func `a handler has no deadline, except for a small body`(limit: Int?, moment: Instant) {
        var state = ConnectionState(.idle)
        state.beginRequest(request(), limit: 100)
        expect(state.beginHandling(bodyLimit: limit, at: at(1), deadlines), moment)
        #expect(state.phase == .handling)
    }

    @Test func `a handler waits for each piece of a body, and within the time of the whole`() {
        var state = ConnectionState(.idle)
        state.beginRequest(request(), limit: 100)
        _ = state.beginHandling(bodyLimit: 1, at: at(1), deadlines)
        expect(state.awaitPiece(until: at(31)), at(31))
        expect(state.notePiece(isLast: false), at(61))
        var read = state
        expect(read.notePiece(isLast: true), .distantFuture)
        expect(state.awaitPiece(until: at(70)), at(61))
        expect(state.expire(), .failBody)
        #expect(state.deadline.next.moment == .distantFuture)
    }

    @Test func `only a request, or a discarded body, extends the wait for the next one`() throws {
        var state = ConnectionState(.idleAgain)
        expect(state.awaitInput(at: at(50), deadlines), nil)
        #expect(state.idleSince == at(1))
        state.beginRequest(request(), limit: 100)
        state.finishResponse(isBodyUnread: true)
        expect(state.awaitInput(at: at(50), deadlines), at(80))
        expect(state.awaitInput(at: at(60), deadlines), nil)
        state.skip(1, isComplete: true)
        expect(state.awaitInput(at: at(60), deadlines), at(135))
        #expect(state.idleSince == at(60))
        expect(state.awaitInput(at: at(61), deadlines), nil)
    }

    @Test func `the time of a handshake and of a head ends with them alone`() {
        var state = ConnectionState(.handshake)
        expect(state.awaitInput(at: at(5), deadlines), nil)
        state.finishHandshake()
        #expect(state.phase == .idle)
        expect(state.awaitInput(at: at(5), deadlines), at(80))
        expect(state.beginHead(at: at(6), deadlines), at(16))
        expect(state.awaitInput(at: at(7), deadlines), nil)
        #expect(state.afterInput == .awaitInput)
        state.finishHandshake()
        #expect(state.phase == .head)
        // This head came without a wait before it.
        var early = ConnectionState(.head)
        expect(early.awaitInput(at: at(7), deadlines), nil)
    }

    @Test func `a wait ends with its response`() {
        var state = ConnectionState(.waiting)
        #expect(state.idleSince == at(1))
        expect(state.unpark(), .distantFuture)
        #expect(state.phase == .responding)
        state.finishResponse(isBodyUnread: false)
        #expect(state.phase == .idle)
        expect(state.awaitInput(at: at(9), deadlines), at(84))
    }

    @Test func `pending output has the only deadline besides that of an operation as a whole`() {
        var state = ConnectionState(.idleAgain)
        expect(state.awaitOutput(at: at(1), deadlines), at(31))
        expect(state.expire(), .checkOutput)
        #expect(state.deadline.next.moment == at(31))
        expect(state.endOutput(), at(76))
    }

    @Test func `a peer keeps its connection by taking output at the least rate`() {
        let state = ConnectionState(.idle)
        let least = deadlines.least(in: deadlines.stalledWrite)
        #expect(state.judgeOutput(taken: least, deadlines) == .extendOutput)
        #expect(state.judgeOutput(taken: least - 1, deadlines) == .cutOff)
    }

    @Test func `a peer that does not close has more time while it takes bytes in flight`() {
        var state = ConnectionState(.lingering)
        var least = deadlines.least(in: deadlines.linger)
        #expect(state.judgeLingering(taken: least, isInFlight: true, deadlines) == .linger)
        #expect(state.judgeLingering(taken: least - 1, isInFlight: true, deadlines) == .close)
        #expect(state.judgeLingering(taken: least, isInFlight: false, deadlines) == .close)
        _ = state.drain(holdsExchange: false)
        least = deadlines.least(in: deadlines.drainLinger)
        #expect(state.judgeLingering(taken: least, isInFlight: true, deadlines) == .linger)
        #expect(state.judgeLingering(taken: least - 1, isInFlight: true, deadlines) == .close)
    }

    @Test func `bytes in flight are checked again soon, within the time for the peer's close`() {
        var state = ConnectionState(.lingering)
        expect(state.awaitAcknowledgement(at: at(2), deadlines), at(2) + deadlines.lingerInterval)
        expect(state.expire(), .checkAcknowledgement)
        #expect(state.deadline.next.moment == at(31))
        expect(state.awaitAcknowledgement(at: at(31), deadlines), at(31))
        expect(state.expire(), .checkLingering)
    }
}

/// Tests the drain and the eviction of idle connections.
struct ConnectionDrainTests {
    @Test(arguments: [
        (Stage.handshake, false, ConnectionStep.rest, false), (.idle, false, .awaitInput, false),
        (.idleAgain, false, .endIdle, false), (.idleAgain, true, .rest, false), (.head, true, .rest, false),
        (.skipping, true, .rest, false), (.handling, false, .rest, true), (.waiting, false, .expireWait, true),
        (.closing, true, .rest, false), (.lingering, false, .linger, false), (.closed, false, .rest, false),
    ])
    fileprivate func `a drain ends what is idle, and lets requests finish`(
        stage: Stage, holdsExchange: Bool, step: ConnectionStep, closes: Bool
    ) {
        var state = ConnectionState(stage)
        expect(state.drain(holdsExchange: holdsExchange), step)
        #expect(state.closes == closes)
    }

    @Test func `a drain waits for a first request, for less time`() {
        var state = ConnectionState(.idle)
        _ = state.awaitInput(at: at(1), deadlines)
        _ = state.drain(holdsExchange: false)
        expect(state.awaitInput(at: at(5), deadlines), at(7))
        #expect(state.afterInput == .awaitInput)
        state = ConnectionState(.handshake)
        _ = state.drain(holdsExchange: false)
        state.finishHandshake()
        expect(state.awaitInput(at: at(5), deadlines), at(7))
    }

    @Test func `a drain ends a connection with pending output once that is sent`() {
        var state = ConnectionState(.idleAgain)
        state.block()
        expect(state.drain(holdsExchange: false), .rest)
        state.unblock()
        #expect(state.next == .readRequests)
        #expect(state.afterInput == .finish)
    }

    @Test func `a drain lets a head come to its end`() {
        var state = ConnectionState(.idleAgain)
        _ = state.beginHead(at: at(2), deadlines)
        _ = state.drain(holdsExchange: true)
        #expect(state.afterInput == .awaitInput)
        #expect(state.deadline.next.moment == at(12))
    }

    @Test func `a drain gives a peer that does not close less time`() {
        var state = ConnectionState(.closing)
        _ = state.drain(holdsExchange: false)
        expect(state.linger(at: at(3), deadlines), at(4))
    }

    @Test func `a poll that begins during a drain, or after the peer has left, is over`() {
        var state = ConnectionState(.idle)
        _ = state.drain(holdsExchange: false)
        state.beginRequest(request(), limit: 100)
        #expect(state.isWaitOver)
        state.park(at: at(1))
        #expect(state.next == .expireWait)
        _ = state.react(to: .peerFinished)
        #expect(state.next == .close)
        var left = ConnectionState(.waiting)
        #expect(!left.isWaitOver)
        _ = left.react(to: .peerFinished)
        #expect(left.isWaitOver)
    }

    @Test(
        arguments: [
            (.handshake, .withoutRequest), (.idle, .withoutRequest), (.idleAgain, .recent), (.head, .withoutRequest),
            (.skipping, nil), (.handling, nil), (.waiting, .polling), (.closing, nil), (.lingering, nil),
            (.closed, nil),
        ] as [(Stage, Idleness?)])
    fileprivate func `a connection is idle between requests and while it polls`(stage: Stage, idleness: Idleness?) {
        // A second before, one of these had its request, and all others had connected.
        let grace = Duration.seconds(2)
        var state = ConnectionState(stage)
        #expect(state.idleness(at: at(2), grace: grace) == idleness)
        state.block()
        #expect(state.idleness(at: at(2), grace: grace) == nil)
        state.unblock()
        _ = state.queue()
        #expect(state.idleness(at: at(2), grace: grace) == nil)
    }
}
