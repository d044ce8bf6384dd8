import fs from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import { type LogFlush, logFlush } from './log-flush.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let log: LogFlush
/** Ends the flushes that have begun, in their order; with an error when it gets one. */
let ends: ((error?: Error) => void)[]

beforeEach(async () => {
  folder = await temporaryDirectory()
  await writeFile(join(folder.path, 'db-wal'), '')
  log = logFlush(join(folder.path, 'db'))
  ends = []
  vi.spyOn(fs, 'fdatasync').mockImplementation(((_file: number, done: (error: Error | null) => void) => {
    ends.push((error) => done(error ?? null))
  }) as typeof fs.fdatasync)
})
afterEach(async () => {
  vi.restoreAllMocks()
  log.close()
  await folder[Symbol.asyncDispose]()
})

const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

test('callers during a flush share the next one', async () => {
  const ended: number[] = []
  const ask = (name: number) => log.flush().then(() => ended.push(name))
  const all = [ask(0)]
  for (let name = 1; name < 20; name += 1) all.push(ask(name))
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await settled()
  expect([ended, ends.length]).toEqual([[0], 2])
  all.push(ask(20))
  ends[1]?.()
  await settled()
  expect([ended.length, ends.length]).toEqual([20, 3])
  ends[2]?.()
  await Promise.all(all)
  expect(ended).toHaveLength(21)
})

test('a flush that fails fails for its callers, and the next one is tried', async () => {
  const first = log.flush()
  const second = log.flush()
  const failing = expect(first).rejects.toThrow('no disk')
  ends[0]?.(new Error('no disk'))
  await failing
  await settled()
  ends[1]?.()
  await second
})
