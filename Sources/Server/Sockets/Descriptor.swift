import Glibc

/// A file descriptor that is closed at the end of its owner's life.
struct Descriptor: ~Copyable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = close(number)
    }
}
