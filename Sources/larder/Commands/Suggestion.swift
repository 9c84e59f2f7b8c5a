/// The known name that a misspelt one probably stands for.
enum Suggestion {
    /// Returns the name with the fewest edits, unless more than a third of its characters differ.
    static func closest(to word: String, in names: [String]) -> String? {
        let ranked = names.map { (name: $0, edits: edits(from: word, to: $0)) }
        guard let best = ranked.min(by: { $0.edits < $1.edits }) else { return nil }
        let isBeginning = word.count > 2 && best.name.hasPrefix(word)
        return best.edits <= max(1, best.name.count / 3) || isBeginning ? best.name : nil
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours between two words.
    static func edits(from left: String, to right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
