import Glibc

/// A file descriptor that is closed when its owner lets go of it.
struct Descriptor: ~Copyable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = close(number)
    }
}
