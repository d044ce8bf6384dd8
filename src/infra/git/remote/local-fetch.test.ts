import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid, TreePath } from '../model/names.ts'
import { newDiskPath } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, main, openTestGit, type TestGit } from '../testing.ts'

let opened: TestGit
beforeAll(async () => {
  opened = await openTestGit()
})
afterAll(() => opened[Symbol.asyncDispose]())

const commit = (repository: Repository, parent: Oid | null, file: string) =>
  admitting(repository).createCommit({
    parent,
    author: ada,
    committer: ada,
    message: file,
    changes: [{ path: file as TreePath, content: Buffer.from(`${file}\n`) }],
  })

describe('copying objects between repositories', () => {
  test('copies commits and all that they reach, without refs', async () => {
    const source = await opened.newRepository()
    const target = await opened.newRepository()
    const first = await commit(source, null, 'a')
    const second = await commit(source, first, 'b')
    await source.updateRefs([{ ref: main, old: null, new: first }])
    await target.fetchObjectsFrom(source, [second, first])
    expect([...(await target.commits([first, second])).keys()].sort()).toEqual([first, second].sort())
    expect((await target.entryAt(second, 'b' as TreePath))?.type).toBe('blob')
    expect((await target.refs('after')).branches).toEqual([])
    expect(await target.fsck()).toEqual({ ok: true, problems: [] })
    // Commits on top of them are complete.
    const third = await commit(target, second, 'c')
    await target.updateRefs([{ ref: main, old: null, new: third }])
    await rm(source.directory, { recursive: true })
    expect((await target.fsck()).ok).toBe(true)
    expect(await target.countCommits({ tips: [third] })).toBe(3)
  })

  test('copies only missing objects', async () => {
    const source = await opened.newRepository()
    const target = await opened.newRepository()
    const first = await commit(source, null, 'a')
    await source.updateRefs([{ ref: main, old: null, new: first }])
    await target.fetchObjectsFrom(source, [first])
    await target.fetchObjectsFrom(source, [first])
    expect(await target.commitCount()).toBe(0)
  })

  test('fails for missing objects', async () => {
    const source = await opened.newRepository()
    const target = await opened.newRepository()
    await commit(source, null, 'a')
    const failing = { name: 'GitError' }
    await expect(target.fetchObjectsFrom(source, ['f'.repeat(40) as Oid])).rejects.toMatchObject(failing)
    await expect(target.fetchObjectsFrom(source, ['--upload-pack=x' as Oid])).rejects.toMatchObject({
      ...failing,
      code: 'invalid_input',
    })
    const gone = opened.git.repository({ storage: 'default', diskPath: newDiskPath() })
    await expect(target.fetchObjectsFrom(gone, ['f'.repeat(40) as Oid])).rejects.toMatchObject(failing)
  })
})
