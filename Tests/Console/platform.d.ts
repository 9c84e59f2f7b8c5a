/** Parts of the platform that the console uses and TypeScript 4.8 does not know. */
interface Array<T> {
  findLast(predicate: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findLastIndex(predicate: (value: T, index: number, array: T[]) => unknown): number;
  toSorted(compare?: (a: T, b: T) => number): T[];
  toReversed(): T[];
}
interface HTMLElement {
  popover: string | null;
  showPopover(): void;
  hidePopover(): void;
}
interface Element {
  checkVisibility?(options?: any): boolean;
}
interface MapConstructor {
  groupBy<K, T>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, T[]>;
}
declare class CompressionStream {
  constructor(format: string);
  readable: ReadableStream;
  writable: WritableStream;
}
