import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Sample } from '../module.ts'
import type { Platform } from '../platform.ts'
import { diskMeasures } from './disk.ts'

test('the disks of all folders are measured that answer', async () => {
  const settings = { FENNEC_DATA: tmpdir(), FENNEC_STORAGES: `default=${import.meta.dirname},away=/nonexistent/folder` }
  const platform = { config: readConfig(settings) } as Platform
  const [sizes, free] = await Promise.all(diskMeasures.map(({ value }) => value(platform)))
  const folders = [{ folder: 'storage default' }, { folder: 'data' }]
  const samples = folders.map((labels) => ({ labels, value: expect.any(Number) }))
  expect([sizes, free]).toEqual([samples, samples])
  const [size, rest] = [sizes, free].map((found) => (found as readonly Sample[])[0]?.value ?? 0)
  expect(size).toBeGreaterThan(rest ?? 0)
})
