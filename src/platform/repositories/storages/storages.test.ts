import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import { openStorages, ownStorage, prepareStorages } from './storages.ts'

test('storages get an identity; two names of one folder are the same, and a missing folder is an error', async () => {
  await using folder = await temporaryDirectory()
  const data = folder.path
  const [other, alias] = [join(data, 'other'), join(data, 'alias')]
  await mkdir(other)
  await symlink(other, alias)
  const config = { data, storages: { default: ownStorage(data), other, alias } }
  const [ids] = await Promise.all([prepareStorages(config), prepareStorages(config)])
  const storages = openStorages(config.storages, ids, { error: () => {} })
  const identity = JSON.parse(await readFile(join(other, '.fennec-storage'), 'utf8'))
  expect(identity).toEqual({ filesystem_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(storages.areSame('other', 'alias')).toBe(true)
  expect(storages.areSame('default', 'default')).toBe(true)
  expect(storages.areSame('default', 'other')).toBe(false)
  await prepareStorages(config)
  expect(JSON.parse(await readFile(join(other, '.fennec-storage'), 'utf8'))).toEqual(identity)
  await writeFile(join(other, '.fennec-storage'), 'no JSON')
  await expect(prepareStorages(config)).rejects.toThrow(/storage other has no usable file \.fennec-storage/)
  await rm(other, { recursive: true })
  await expect(prepareStorages(config)).rejects.toThrow(/the folder .* of the storage other does not exist/)
})

test('a storage is away while its folder has another id or none, and nothing is written there', async () => {
  await using folder = await temporaryDirectory()
  const data = folder.path
  const fast = join(data, 'fast')
  await mkdir(fast)
  const config = { data, storages: { default: ownStorage(data), fast } }
  const storages = openStorages(config.storages, await prepareStorages(config), { error: () => {} })
  await storages.require('fast')
  expect(await storages.away()).toEqual([])
  // As after an unmount: the folder of the mount point is there, and empty.
  await rename(fast, join(data, 'unmounted'))
  await mkdir(fast)
  await expect(storages.require('fast')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '60' } })
  expect(await storages.away()).toEqual(['fast'])
  expect(await readdir(fast)).toEqual([])
  await writeFile(join(fast, '.fennec-storage'), '{"filesystem_id":"of another storage"}')
  await expect(storages.require('fast')).rejects.toThrow()
  await rm(fast, { recursive: true })
  await expect(storages.require('fast')).rejects.toThrow()
  await storages.require('default')
  await rename(join(data, 'unmounted'), fast)
  await storages.require('fast')
  expect(await storages.away()).toEqual([])
})
