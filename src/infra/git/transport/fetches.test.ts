import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import { isBeingFetched, whileFetching } from './fetches.ts'

test('a repository is marked as long as fetches run, also failing ones', async () => {
  await using folder = await temporaryDirectory()
  const repository = join(folder.path, 'r.git')
  const missing = whileFetching(repository, Readable.from([]), () => isBeingFetched(repository))
  expect(await missing).toBe(false)
  await mkdir(repository)
  expect(await isBeingFetched(repository)).toBe(false)
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fetches = ends.map(({ promise }) => whileFetching(repository, Readable.from([]), () => promise))
  await expect.poll(() => isBeingFetched(repository)).toBe(true)
  ends[0]?.resolve()
  await fetches[0]
  expect(await isBeingFetched(repository)).toBe(true)
  ends[1]?.reject(new Error('broken'))
  await expect(fetches[1]).rejects.toThrow('broken')
  expect(await isBeingFetched(repository)).toBe(false)
})
