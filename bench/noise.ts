import { createHash } from 'node:crypto'
import { summarise } from './measure.ts'

/** How long a fixed piece of work took: on a quiet machine always the same. */
export type Noise = { fastestMs: number; medianMs: number; slowestMs: number }

/** Does the same work many times over, to tell how busy others keep the machine just now. */
export function measureNoise(): Noise {
  const data = Buffer.alloc(4 * 1024 * 1024)
  const times = Array.from({ length: 60 }, () => {
    const before = performance.now()
    createHash('sha256').update(data).digest()
    return performance.now() - before
  })
  const { minMs, medianMs, maxMs } = summarise(times)
  return { fastestMs: minMs, medianMs, slowestMs: maxMs }
}
