import Testing

@testable import Store

struct S3SettingsTests {
    private func address(
        _ location: String, endpoint: String = "", region: String = "", isPathStyle: Bool = false
    ) throws(S3Address.Fault) -> S3Address {
        try S3Address(location, endpoint: endpoint, region: region, isPathStyle: isPathStyle)
    }

    @Test func `without an endpoint the bucket is the first part of AWS's host in the region`() throws {
        let address = try address("s3://packages/live/one", region: "eu-central-1")
        #expect(address.authority == "packages.s3.eu-central-1.amazonaws.com")
        #expect(address.prefix == "live/one/")
        #expect(address.path(of: "live/one/a b") == "/live/one/a%20b")
        #expect(address.description == "s3://packages/live/one/")
    }

    @Test func `in path style the bucket is the first part of the path`() throws {
        let address = try address("s3://packages", endpoint: "http://127.0.0.1:9000", isPathStyle: true)
        #expect(address.authority == "127.0.0.1:9000")
        #expect(address.path(of: "x") == "/packages/x")
        #expect(try self.address("s3://my.packages").isPathStyle)
    }

    @Test(arguments: [
        "packages", "https://packages", "s3://", "s3://ab", "s3://-abc", "s3://pack ages", "s3://packages//x",
        "s3://packages/../x", "s3://packages/a?b", "s3://packages/ä",
    ])
    func `a location without a valid bucket or prefix is refused`(location: String) {
        #expect(throws: S3Address.Fault.location) { try address(location) }
    }

    @Test func `an endpoint with a path or another scheme is refused`() {
        #expect(throws: S3Address.Fault.endpoint) { try address("s3://packages", endpoint: "http://h/path") }
        #expect(throws: S3Address.Fault.endpoint) { try address("s3://packages", endpoint: "ftp://h") }
        #expect(throws: S3Address.Fault.region) { try address("s3://packages", region: "a b") }
    }

    @Test func `a credentials file is read by profile, and an access key may contain a colon`() throws {
        let file = """
            # comment
            [default]
            aws_access_key_id = one
            aws_secret_access_key=first
            [live]
              aws_access_key_id = account:user
              aws_secret_access_key = a+/b=c
              aws_session_token = token
            """
        #expect(S3Credentials(file: file, profile: "default") == S3Credentials(accessKey: "one", secretKey: "first"))
        #expect(
            S3Credentials(file: file, profile: "live")
                == S3Credentials(accessKey: "account:user", secretKey: "a+/b=c", sessionToken: "token"))
        #expect(S3Credentials(file: file, profile: "other") == nil)
        #expect(S3Credentials(file: "[live]\naws_access_key_id = x", profile: "live") == nil)
    }

    @Test func `credentials do not show their secrets`() throws {
        let credentials = try #require(
            S3Credentials(environment: [
                "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_SESSION_TOKEN": "token",
            ]))
        #expect("\(credentials)" == "access key key")
        #expect(S3Credentials(environment: ["AWS_ACCESS_KEY_ID": "key"]) == nil)
        #expect(S3Credentials(accessKey: "a\nb", secretKey: "c") == nil)
    }

    @Test func `only the text of an element is read of a document`() {
        let document = Array("<?xml?><Error><Code>SlowDown</Code><Message>a &lt;b&gt; &amp;amp;</Message></Error>".utf8)
        #expect(S3Document.text(of: "Code", in: document) == "SlowDown")
        #expect(S3Document.text(of: "Message", in: document) == "a <b> &amp;")
        #expect(S3Document.text(of: "UploadId", in: document) == nil)
        #expect(S3Document.text(of: "Code", in: Array("<Code>x".utf8)) == nil)
    }
}

/// Checks a value that was computed by a mutating call, which the macro cannot contain.
private func expect(_ isTrue: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: location)
}

struct CircuitBreakerTests {
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 1..<CircuitBreaker.failureLimit { expect(!breaker.fail(at: .zero)) }
        expect(breaker.admits(at: .zero))
        expect(breaker.fail(at: .zero))
        return breaker
    }

    @Test func `it opens after consecutive failures and then admits one request after a time`() {
        var breaker = opened()
        expect(!breaker.admits(at: CircuitBreaker.openTime - .milliseconds(1)))
        expect(breaker.admits(at: CircuitBreaker.openTime))
        expect(!breaker.admits(at: CircuitBreaker.openTime))
    }

    @Test func `the admitted request closes it or opens it again`() {
        var breaker = opened()
        expect(breaker.admits(at: CircuitBreaker.openTime))
        expect(!breaker.fail(at: CircuitBreaker.openTime))
        expect(!breaker.admits(at: CircuitBreaker.openTime * 2 - .milliseconds(1)))
        expect(breaker.admits(at: CircuitBreaker.openTime * 2))
        expect(breaker.succeed())
        expect(breaker.isClosed && breaker.admits(at: .zero))
    }

    @Test func `a success in between keeps it closed`() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 * CircuitBreaker.failureLimit {
            expect(!breaker.fail(at: .zero))
            expect(!breaker.succeed())
        }
    }
}

struct RecencyListTests {
    @Test func `the least recently used key is removed first`() {
        var list = RecencyList<Int, String>()
        for number in 0..<4 { expect(list.insert("\(number)", for: number) == nil) }
        expect(list.use(0) == "0")
        expect(list.insert("one", for: 1) == "1")
        expect(list.remove(2) == "2")
        expect(list.removeOldest()?.key == 3)
        expect(list.insert("five", for: 5) == nil)
        expect(list.removeOldest()?.key == 0)
        expect(list.removeOldest()?.value == "one")
        expect(list.removeOldest()?.key == 5)
        expect(list.removeOldest() == nil && list.count == 0)
    }
}
