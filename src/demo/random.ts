/** Choices that follow from a seed: the same seed leads to the same ones, in the same order. */
export type Random = {
  /** A number from 0 up to, not including, 1. */
  next(): number
  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number
  pick<T>(from: readonly T[]): T
  /** Some different ones of a list, in its order. */
  some<T>(from: readonly T[], count: number): T[]
}

/** The generator mulberry32: 32 bits of state, and good enough to choose who reacts to a comment. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param seed a whole number */
export function randomOf(seed: number): Random {
  const next = mulberry32(seed)
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    pick<T>(from: readonly T[]): T {
      return from[between(0, from.length - 1)] as T
    },
    some<T>(from: readonly T[], count: number): T[] {
      const chosen = new Set<T>()
      while (chosen.size < Math.min(count, from.length)) chosen.add(from[between(0, from.length - 1)] as T)
      return from.filter((one) => chosen.has(one))
    },
  }
}
