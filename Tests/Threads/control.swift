// What the sanitizer has to say of two programs before it is believed: nothing of `locked`, a race of `unlocked`.
import Synchronization

final class Counter: @unchecked Sendable {
    let locked = Mutex([Int]())
    // The race that is to be found.
    var unlocked = 0
}

let counter = Counter()
let races = CommandLine.arguments.contains("unlocked")
await withTaskGroup(of: Void.self) { group in
    for task in 0..<8 {
        group.addTask {
            for round in 0..<20_000 {
                counter.locked.withLock { numbers in
                    if numbers.count > 100 { numbers.removeAll() }
                    numbers.append(task + round)
                }
                if races { counter.unlocked += 1 }
            }
        }
    }
}
