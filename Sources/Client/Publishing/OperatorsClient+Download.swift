import Files
import Glibc
import HTTP
import Transport

extension OperatorsClient {
    /// The timeout of responses that the server has to build first.
    package static let patience = Duration.seconds(600)

    /// Downloads a response into a file, which is created or replaced atomically.
    ///
    /// Throws `refused` for every status but 2xx.
    ///
    /// - Returns: The bytes of the file.
    package func download(_ path: String, to file: String) throws(OperatorsError) -> Int {
        let part = file + ".part"
        do throws(OperatorsError) {
            let count = try fetch(path, to: part)
            do throws(SystemError) { try Disk.rename(part, to: file) } catch { throw .transport(.localFile(error)) }
            return count
        } catch {
            try? Folder.remove(part)
            throw error
        }
    }

    private func fetch(_ path: String, to file: String) throws(OperatorsError) -> Int {
        var refusal: [UInt8] = []
        let target: WholeDownload
        let head: ResponseHead
        do throws(TransportError) {
            target = try WholeDownload(file)
            var request = request(.get, path)
            request.responseTimeout = Self.patience
            head = try client.exchange(request) { head, piece throws(TransportError) in
                if head.isSuccess {
                    try target.append(piece)
                } else if refusal.count < HTTPClient.bodyLimit {
                    refusal += piece
                }
            }
        } catch { throw .transport(error) }
        guard head.isSuccess else { throw .refused(Problem(ClientResponse(head: head, body: refusal))) }
        return target.count
    }
}

/// The file that receives a response from its first byte on.
private final class WholeDownload {
    private let file: FileDescriptor
    private(set) var count = 0

    init(_ path: String) throws(TransportError) {
        do throws(SystemError) {
            file = try FileDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC, mode: Disk.fileMode)
        } catch { throw .localFile(error) }
    }

    func append(_ piece: UnsafeRawBufferPointer) throws(TransportError) {
        do throws(SystemError) { try file.writeAll(piece) } catch { throw .localFile(error) }
        count += piece.count
    }
}
