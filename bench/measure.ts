/** How long one thing took, several times, in milliseconds. */
export type Sample = { runs: number; medianMs: number; minMs: number; maxMs: number; p95Ms: number; p99Ms: number }

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}

export function median(values: readonly number[]): number {
  return percentile(ascending(values), 0.5)
}

/** The range of the middle half, in percent of the median. */
export function spreadPercentOf(values: readonly number[]): number {
  const sorted = ascending(values)
  return ((percentile(sorted, 0.75) - percentile(sorted, 0.25)) * 100) / percentile(sorted, 0.5)
}

export function summarise(timesMs: readonly number[]): Sample {
  const sorted = ascending(timesMs)
  return {
    runs: sorted.length,
    medianMs: percentile(sorted, 0.5),
    minMs: sorted[0] ?? 0,
    maxMs: sorted.at(-1) ?? 0,
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
  }
}

export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const before = performance.now()
  const value = await work()
  return { ms: performance.now() - before, value }
}

/** Calls one after the other, after a warm-up, and tells how long each took. */
export async function latency(
  runs: number,
  warmUp: number,
  once: (index: number) => Promise<unknown>,
): Promise<Sample> {
  for (let index = 0; index < warmUp; index += 1) await once(index)
  const times: number[] = []
  for (let index = 0; index < runs; index += 1) times.push((await timed(() => once(warmUp + index))).ms)
  return summarise(times)
}

/** Many clients at once for a while: answers per second and how long the slowest took. */
export async function throughput(
  clients: number,
  durationMs: number,
  once: (client: number) => Promise<unknown>,
): Promise<Sample & { perSecond: number }> {
  const times: number[] = []
  const before = performance.now()
  const end = before + durationMs
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < end) times.push((await timed(() => once(client))).ms)
    }),
  )
  return { ...summarise(times), perSecond: (times.length * 1_000) / (performance.now() - before) }
}

/** Two sides measured in turn, so that whatever else the machine does meets both. */
export type Pairs = { fennec: number; floor: number; ratio: number; spreadPercent: number }

/** Medians of the figures of rounds, and the median of the rounds' ratios with their spread. */
export function pairsOf(figures: Record<'fennec' | 'floor', readonly number[]>): Pairs {
  const ratios = figures.fennec.map((figure, round) => figure / (figures.floor[round] ?? 1))
  return {
    fennec: median(figures.fennec),
    floor: median(figures.floor),
    ratio: median(ratios),
    spreadPercent: spreadPercentOf(ratios),
  }
}

/**
 * Measures both sides once per round, each first in every other round.
 * @param measure gives the figure of one round, of which less is better
 * @returns the medians, and the median of the rounds' ratios with their spread
 */
export async function inTurn(
  rounds: number,
  measure: (side: 'fennec' | 'floor', round: number) => Promise<number>,
): Promise<Pairs> {
  const figures = { fennec: [] as number[], floor: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const sides = round % 2 === 0 ? (['fennec', 'floor'] as const) : (['floor', 'fennec'] as const)
    for (const side of sides) figures[side].push(await measure(side, round))
  }
  return pairsOf(figures)
}
