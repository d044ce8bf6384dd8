import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../testing/index.ts'
import { areSameStorage, ownStorage, prepareStorages } from './storages.ts'

test('storages get an identity; two names of one folder are the same, and a missing folder is an error', async () => {
  await using folder = await temporaryDirectory()
  const data = folder.path
  const [other, alias] = [join(data, 'other'), join(data, 'alias')]
  await mkdir(other)
  await symlink(other, alias)
  const config = { data, storages: { default: ownStorage(data), other, alias } }
  await Promise.all([prepareStorages(config), prepareStorages(config)])
  const identity = JSON.parse(await readFile(join(other, '.fennec-storage'), 'utf8'))
  expect(identity).toEqual({ filesystem_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(await areSameStorage(config, 'other', 'alias')).toBe(true)
  expect(await areSameStorage(config, 'default', 'default')).toBe(true)
  expect(await areSameStorage(config, 'default', 'other')).toBe(false)
  await prepareStorages(config)
  expect(JSON.parse(await readFile(join(other, '.fennec-storage'), 'utf8'))).toEqual(identity)
  await writeFile(join(other, '.fennec-storage'), 'no JSON')
  await expect(prepareStorages(config)).rejects.toThrow(/storage other has no usable file \.fennec-storage/)
  await rm(other, { recursive: true })
  await expect(prepareStorages(config)).rejects.toThrow(/the folder .* of the storage other does not exist/)
})
