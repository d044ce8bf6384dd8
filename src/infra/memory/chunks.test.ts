import { constants, PerformanceObserver } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { chunkPassed } from './index.ts'

const mebibyte = 1024 * 1024
const { NODE_PERFORMANCE_GC_MINOR, NODE_PERFORMANCE_GC_FLAGS_FORCED } = constants

test('young objects are collected after each 4 MiB of chunks, and the memory of these is freed', async () => {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      const { kind, flags } = detail
      if (kind === NODE_PERFORMANCE_GC_MINOR && flags === NODE_PERFORMANCE_GC_FLAGS_FORCED) collections += 1
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 48; count += 1) {
    Buffer.allocUnsafeSlow(mebibyte)
    chunkPassed(mebibyte)
  }
  await expect.poll(() => collections).toBeGreaterThanOrEqual(10)
  // In the background. Nothing is allocated any more, so nothing else collects.
  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * mebibyte)
  observer.disconnect()
})
