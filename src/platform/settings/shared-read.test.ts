import { expect, test } from 'vitest'
import { sharedRead } from './shared-read.ts'

/** Reads that end when the test says so. */
function controlled() {
  const reads: PromiseWithResolvers<number>[] = []
  const read = sharedRead(() => {
    const one = Promise.withResolvers<number>()
    reads.push(one)
    return one.promise
  })
  return { reads, read }
}

test('those who ask while a read is under way share the next one', async () => {
  const { reads, read } = controlled()
  const first = read()
  const later = [read(), read()]
  expect(reads).toHaveLength(1)
  reads[0]?.resolve(1)
  expect(await first).toBe(1)
  await expect.poll(() => reads.length).toBe(2)
  const last = read()
  reads[1]?.resolve(2)
  expect(await Promise.all(later)).toEqual([2, 2])
  await expect.poll(() => reads.length).toBe(3)
  reads[2]?.resolve(3)
  expect(await last).toBe(3)
  void read()
  expect(reads).toHaveLength(4)
})

test('a failure is for those who share the read, and not for the next ones', async () => {
  const { reads, read } = controlled()
  const first = read()
  const second = read()
  reads[0]?.reject(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await expect.poll(() => reads.length).toBe(2)
  reads[1]?.resolve(2)
  expect(await second).toBe(2)
})
