import CCurl
import Glibc
import HTTP

/// A transfer handle of libcurl in a multi handle of its own, with the connections kept for the next exchange.
///
/// `@unchecked Sendable`: libcurl lets any thread use a handle, one at a time. The value is noncopyable and each of its
/// methods is `mutating`, so calls never overlap.
struct CurlHandle: ~Copyable, @unchecked Sendable {
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    /// The message of libcurl for a failure.
    private let message: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// The first failure of setting an option.
    private var setting = CURLE_OK

    /// Whether libcurl is initialized in this process.
    ///
    /// Swift runs the initializer of a static property once, even if several threads access it; that satisfies the
    /// requirement of `curl_global_init` for versions of libcurl without a lock of their own
    /// (`CURL_VERSION_THREADSAFE`).
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() {
        guard Self.isReady, let easy = curl_easy_init(), let multi = curl_multi_init() else {
            preconditionFailure("libcurl cannot be set up: out of memory")
        }
        self.easy = easy
        self.multi = multi
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_multi_remove_handle(multi, easy)
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        curl_slist_free_all(fields)
        message.deallocate()
    }

    // MARK: One exchange

    /// Prepares an exchange, which must live until ``end()``.
    mutating func begin(_ exchange: CurlExchange, _ options: CurlOptions) throws(CurlFailure) {
        message.pointee = 0
        setting = CURLE_OK
        set(CURLOPT_ERRORBUFFER, message)
        // No signals: the process has several threads, and libcurl resolves names in a thread of its own.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_URL, exchange.request.url.description)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_USERAGENT, options.userAgent)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(options.timeouts.connect / .milliseconds(1)))
        set(CURLOPT_EXPECT_100_TIMEOUT_MS, Int(options.timeouts.expectation / .milliseconds(1)))
        // Chunks are decoded by `BodyDecoder`, which is stricter than libcurl.
        set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        // Otherwise libcurl would decompress a body with `Transfer-Encoding: gzip`, without a limit.
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // Otherwise the end of an exchange would wait for the resolver's thread.
        set(CURLOPT_QUICK_EXIT, 1)
        setTrust(options.authorities)
        setProxy(exchange.proxy, except: options.proxies.exceptions, exchange)
        setRequest(exchange)
        setCallbacks(exchange)
        try check(setting)
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw CurlFailure(CURLE_FAILED_INIT) }
    }

    /// Transfers the bytes that can be transferred now; returns libcurl's result once the exchange is over.
    mutating func advance() throws(CurlFailure) -> Bool {
        var running: Int32 = 0
        guard curl_multi_perform(multi, &running) == CURLM_OK else { throw CurlFailure(CURLE_FAILED_INIT) }
        var left: Int32 = 0
        while let entry = curl_multi_info_read(multi, &left) {
            guard entry.pointee.msg == CURLMSG_DONE else { continue }
            try check(entry.pointee.data.result)
            return true
        }
        return false
    }

    /// Waits until bytes can be transferred, libcurl needs a call, or the time is over.
    mutating func wait(upTo limit: Duration) {
        // Rounded up, so that a wait never ends before its deadline.
        let milliseconds = min(max(limit, .zero) / .milliseconds(1), 60_000).rounded(.up)
        curl_multi_poll(multi, nil, 0, Int32(milliseconds), nil)
    }

    /// Ends the exchange; closes the connection of an incomplete one.
    mutating func end() {
        curl_multi_remove_handle(multi, easy)
        curl_easy_reset(easy)
        curl_slist_free_all(fields)
        fields = nil
    }

    /// Returns the bytes of bodies sent and received so far.
    mutating func bytesMoved() -> Int { size(CURLINFO_SIZE_UPLOAD_T) + size(CURLINFO_SIZE_DOWNLOAD_T) }

    // MARK: Options

    private mutating func setTrust(_ authorities: String?) {
        for option in [CURLOPT_SSLVERSION, CURLOPT_PROXY_SSLVERSION] {
            set(option, Int(CURL_SSLVERSION_TLSv1_2))
        }
        // Only cipher suites with forward secrecy and authenticated encryption; TLS 1.3 has no others.
        for option in [CURLOPT_SSL_CIPHER_LIST, CURLOPT_PROXY_SSL_CIPHER_LIST] {
            set(option, "ECDHE+AESGCM:ECDHE+CHACHA20")
        }
        guard let authorities else { return }
        set(CURLOPT_CAINFO, authorities)
        set(CURLOPT_PROXY_CAINFO, authorities)
        // Otherwise libcurl would also trust the system's authorities.
        set(CURLOPT_CAPATH, nil)
        set(CURLOPT_PROXY_CAPATH, nil)
    }

    private mutating func setProxy(_ proxy: CurlProxy?, except exceptions: String, _ exchange: CurlExchange) {
        // An empty text prevents libcurl from reading the environment.
        set(CURLOPT_PROXY, proxy?.name ?? "")
        set(CURLOPT_NOPROXY, exceptions)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        guard let proxy else { return }
        set(CURLOPT_PROXYUSERNAME, proxy.user)
        set(CURLOPT_PROXYPASSWORD, proxy.password)
        // The request line shows whether a proxy gets the request: its target is then a whole URL (RFC 9112 §3.2.2).
        set(CURLOPT_DEBUGDATA, exchange.pointer)
        note(
            ccurl_set_debug_callback(easy) { _, kind, bytes, count, context in
                if kind == CURLINFO_HEADER_OUT {
                    CurlExchange.at(context)?.noteRequest(UnsafeRawBufferPointer(start: bytes, count: count))
                }
                return 0
            })
        set(CURLOPT_VERBOSE, 1)
    }

    private mutating func setRequest(_ exchange: CurlExchange) {
        let request = exchange.request
        set(CURLOPT_CUSTOMREQUEST, request.method.token)
        if request.method == .head { set(CURLOPT_NOBODY, 1) }
        if exchange.body.count > 0 || request.method == .post || request.method == .put {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_UPLOAD_BUFFERSIZE, CurlExchange.pieceSize)
            note(ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, exchange.body.count))
        }
        // libcurl repeats a request if a kept connection ends without a response; a change might then be made twice.
        if !request.isRepeatable, request.method != .get, request.method != .head { set(CURLOPT_FRESH_CONNECT, 1) }
        for field in request.fields.all {
            // Without a value libcurl would omit the field.
            add(field.value.isEmpty ? "\(field.name.name);" : "\(field.name.name): \(field.value)")
        }
        // The fields that libcurl would add by itself.
        if request.fields[.accept] == nil { add("Accept:") }
        // Otherwise libcurl would wait for `100 Continue` before a small body as well.
        if !exchange.expectsContinue { add("Expect:") }
        // After a response in place of `100 Continue`, the server may still expect the body on the connection.
        if exchange.expectsContinue { set(CURLOPT_FORBID_REUSE, 1) }
        if let fields { set(CURLOPT_HTTPHEADER, fields) }
    }

    private mutating func setCallbacks(_ exchange: CurlExchange) {
        for option in [
            CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA,
        ] {
            set(option, exchange.pointer)
        }
        note(
            ccurl_set_request_callback(easy) { context, _, _, _, _ in
                CurlExchange.at(context)?.isConnected = true
                return CURL_PREREQFUNC_OK
            })
        if exchange.addresses != nil { setAddressCheck(exchange) }
        note(
            ccurl_set_bytes_callback(easy, CURLOPT_READFUNCTION) { bytes, _, count, context in
                let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: count)
                return CurlExchange.at(context)?.readBody(into: buffer) ?? Int(CURL_READFUNC_ABORT)
            })
        note(
            ccurl_set_seek_callback(easy) { context, offset, _ in
                CurlExchange.at(context)?.rewindBody(to: Int(offset))
                return CURL_SEEKFUNC_OK
            })
        note(
            ccurl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
                CurlExchange.at(context)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: count)) == true
                    ? count : 0
            })
        note(
            ccurl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
                CurlExchange.at(context)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) == true
                    ? count : 0
            })
    }

    /// Checks each address when libcurl is about to connect to it, after the resolution of the name.
    private mutating func setAddressCheck(_ exchange: CurlExchange) {
        set(CURLOPT_OPENSOCKETDATA, exchange.pointer)
        note(
            ccurl_set_socket_callback(easy) { context, _, target in
                guard let target, let address = ccurl_address(target), let exchange = CurlExchange.at(context),
                    exchange.permits(PeerAddress(address))
                else { return CURL_SOCKET_BAD }
                return ccurl_open_socket(target)
            })
    }

    private mutating func add(_ field: String) {
        guard let added = curl_slist_append(fields, field) else { return note(CURLE_OUT_OF_MEMORY) }
        fields = added
    }

    private mutating func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(easy, option, value)) }

    private mutating func set(_ option: CURLoption, _ text: String?) { note(ccurl_set_text(easy, option, text)) }

    private mutating func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) {
        note(ccurl_set_pointer(easy, option, pointer))
    }

    private mutating func note(_ code: CURLcode) {
        if setting == CURLE_OK { setting = code }
    }

    // MARK: Results

    private func check(_ code: CURLcode) throws(CurlFailure) {
        guard code != CURLE_OK else { return }
        var failure = CurlFailure(code)
        let text = String(cString: message)
        if !text.isEmpty { failure.text = text }
        let systemError = number(CURLINFO_OS_ERRNO)
        if systemError != 0 { failure.systemError = String(cString: strerror(Int32(systemError))) }
        failure.tunnelStatus = number(CURLINFO_HTTP_CONNECTCODE)
        failure.isConnected = size(CURLINFO_CONNECT_TIME_T) > 0
        failure.distrustsProxy = number(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0
        throw failure
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    private func size(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return ccurl_get_size(easy, info, &value) == CURLE_OK ? Int(value) : 0
    }
}

/// The settings that all exchanges of a client share.
struct CurlOptions: Sendable {
    let userAgent: String
    /// The PEM file of trusted certificates; `nil` for the authorities of the system.
    let authorities: String?
    let proxies: ProxySettings
    let timeouts: TransportTimeouts
}
