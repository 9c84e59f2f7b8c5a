import HTTP
import Server
import Synchronization
import TestKit
import Testing

/// A long poll that reports its calls to a test.
private final class Poll: Waiting {
    let began = Latch<WaitTicket>()
    let ended = Latch<Void>()
    private let immediate: Response?
    private let events = Mutex<[String]>([])

    init(immediate: Response? = nil) {
        self.immediate = immediate
    }

    var log: [String] { events.withLock { $0 } }

    func begin(_ ticket: WaitTicket) -> Response? {
        events.withLock { $0.append("begin") }
        began.set(ticket)
        return immediate
    }

    func expire() -> Response {
        events.withLock { $0.append("expire") }
        return Response(.noContent)
    }

    func didEnd() {
        events.withLock { $0.append("end") }
        ended.set(())
    }
}

private let news = PreparedResponse(.ok, fields: [:], body: Array("news".utf8))
private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

struct WaitingTests {
    @Test func `a parked request gets one response, and its connection continues`() async throws {
        let polls = [Poll(), Poll()]
        let next = Atomic(0)
        try await TestServer.run({ _ in
            .wait(polls[next.add(1, ordering: .relaxed).oldValue], upTo: .seconds(60))
        }) { server in
            let client = try server.connect()
            for poll in polls {
                try client.send(get)
                let ticket = try #require(poll.began.wait())
                ticket.lot.respond([ticket.number, ticket.number], with: news)
                #expect(try client.receive().text == "news")
                ticket.lot.respond([ticket.number], with: news)
                #expect(poll.ended.wait() != nil)
                #expect(poll.log == ["begin", "end"])
            }
        }
    }

    @Test func `one call responds to many requests`() async throws {
        let polls = (0..<50).map { _ in Poll() }
        let next = Atomic(0)
        try await TestServer.run(
            loops: 1,
            { _ in
                .wait(polls[next.add(1, ordering: .relaxed).oldValue], upTo: .seconds(60))
            }
        ) { server in
            let clients = try polls.map { _ in try server.connect() }
            for client in clients { try client.send(get) }
            let tickets = try polls.map { try #require($0.began.wait()) }
            tickets[0].lot.respond(tickets.map(\.number) + [0, .max], with: news)
            for client in clients { #expect(try client.receive().text == "news") }
        }
    }

    @Test func `a wait that has its response is over before the next request on its connection`() async throws {
        let polls = [Poll(), Poll()]
        let next = Atomic(0)
        let earlier = Mutex<[String]>([])
        try await TestServer.run({ _ in
            let index = next.add(1, ordering: .relaxed).oldValue
            if index == 1 { earlier.withLock { $0 = polls[0].log } }
            return .wait(polls[index], upTo: .seconds(60))
        }) { server in
            let client = try server.connect()
            // The second request is decided as soon as the first has its response.
            try client.send(get + get)
            let first = try #require(polls[0].began.wait())
            first.lot.respond([first.number], with: news)
            let second = try #require(polls[1].began.wait())
            second.lot.respond([second.number], with: news)
            #expect(polls[1].ended.wait() != nil)
            #expect(polls.map(\.log) == [["begin", "end"], ["begin", "end"]])
        }
        #expect(earlier.withLock { $0 } == ["begin", "end"])
    }

    @Test func `a response that exists already ends the wait before it begins`() async throws {
        let poll = Poll(immediate: Response(.ok, body: .bytes(Array("now".utf8))))
        try await TestServer.run({ _ in .wait(poll, upTo: .seconds(60)) }) { server in
            let client = try server.connect()
            #expect(try client.get("/").text == "now")
            let ticket = try #require(poll.began.wait())
            ticket.lot.respond([ticket.number], with: news)
            #expect(try client.get("/").text == "now")
            #expect(poll.log == ["begin", "end", "begin", "end"])
        }
    }

    @Test func `a wait ends with its time`() async throws {
        let poll = Poll()
        try await TestServer.run({ head in
            head.path == "/" ? .wait(poll, upTo: .milliseconds(50)) : .prepared(news)
        }) { server in
            let client = try server.connect()
            #expect(try client.get("/").status == 204)
            let ticket = try #require(poll.began.wait())
            ticket.lot.respond([ticket.number], with: news)
            #expect(try client.get("/other").text == "news")
            #expect(poll.log == ["begin", "expire", "end"])
        }
    }

    @Test func `a wait ends when the peer leaves`() async throws {
        let poll = Poll()
        try await TestServer.run({ _ in .wait(poll, upTo: .seconds(60)) }) { server in
            var client: RawClient? = try server.connect()
            try client?.send(get)
            _ = poll.began.wait()
            client = nil
            #expect(poll.ended.wait() != nil)
            #expect(poll.log == ["begin", "end"])
        }
    }

    @Test func `a request of a parked peer gets its response after the wait`() async throws {
        let poll = Poll()
        try await TestServer.run({ head in
            head.path == "/" ? .wait(poll, upTo: .seconds(60)) : .prepared(news)
        }) { server in
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
            let ticket = try #require(poll.began.wait())
            try client.send("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
            ticket.lot.respond([ticket.number], with: PreparedResponse(.noContent, fields: [:]))
            #expect(try client.receive().status == 204)
            #expect(try client.receive().text == "news")
        }
    }

    @Test func `a drain ends every wait with its response`() async throws {
        let poll = Poll()
        try await TestServer.run({ _ in .wait(poll, upTo: .seconds(60)) }) { server in
            let client = try server.connect()
            try client.send(get)
            _ = poll.began.wait()
            server.server.drain()
            let response = try client.receive()
            #expect(response.status == 204)
            #expect(response.fields["connection"] == "close")
            #expect(client.isEnded())
            #expect(poll.log == ["begin", "expire", "end"])
        }
    }
}
