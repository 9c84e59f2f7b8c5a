import Foundation
import Ground
import TestKit

extension RawClient {
    /// Sends the head of a request; a `Content-Length` among the fields announces a body.
    func sendHead(_ method: String, _ path: String, _ fields: [String: String] = [:]) throws {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        try send("\(method) \(path) HTTP/1.1\r\nHost: larder.test\r\n\(lines)\r\n")
    }
}

extension RawClient.Response {
    func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }
}
