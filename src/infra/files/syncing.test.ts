import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../testing/index.ts'
import { leaveUnsynced, syncAll, syncDirectory, syncFile, syncFiles, syncTree } from './index.ts'

afterEach(() => vi.restoreAllMocks())

/** Counts what is synced from now on. */
async function counted() {
  await using file = await open(import.meta.filename)
  const prototype = Object.getPrototypeOf(file)
  return { directories: vi.spyOn(prototype, 'sync'), files: vi.spyOn(prototype, 'datasync') }
}

/** A folder with another one and a file in each. */
async function filled() {
  const folder = await temporaryDirectory()
  await mkdir(join(folder.path, 'inner'))
  for (const name of ['a', 'inner/b']) await writeFile(join(folder.path, name), name)
  return folder
}

describe('a folder that is left unsynced', () => {
  test('is not synced whatever is asked, until that is disposed', async () => {
    await using folder = await filled()
    const synced = await counted()
    const syncs = async () => {
      await using file = await open(join(folder.path, 'a'))
      await syncFile(file, join(folder.path, 'a'))
      for (const sync of [syncDirectory, syncFiles, syncTree]) await sync(join(folder.path, 'inner'))
      await syncAll([folder.path])
    }
    const left = leaveUnsynced([folder.path])
    await syncs()
    expect(synced.directories).not.toHaveBeenCalled()
    expect(synced.files).not.toHaveBeenCalled()
    left[Symbol.dispose]()
    await syncs()
    expect(synced.directories).toHaveBeenCalledTimes(1 + 1 + 1 + 2)
    expect(synced.files).toHaveBeenCalledTimes(1 + 2)
  })

  test('leaves others as they are, also one whose name begins as its own', async () => {
    await using folder = await filled()
    const synced = await counted()
    using _left = leaveUnsynced([join(folder.path, 'in')])
    await syncFiles(join(folder.path, 'inner'))
    expect(synced.files).toHaveBeenCalledTimes(1)
  })

  test('stays so for whom it was asked twice', async () => {
    await using folder = await filled()
    const synced = await counted()
    using _left = leaveUnsynced([folder.path])
    leaveUnsynced([folder.path])[Symbol.dispose]()
    await syncFiles(folder.path)
    expect(synced.files).not.toHaveBeenCalled()
  })
})

test('everything of several folders is synced once, where one is below another or does not exist', async () => {
  await using folder = await filled()
  const synced = await counted()
  await syncAll([join(folder.path, 'inner'), folder.path, join(folder.path, 'absent')])
  expect(synced.files).toHaveBeenCalledTimes(2)
  expect(synced.directories).toHaveBeenCalledTimes(2)
})
