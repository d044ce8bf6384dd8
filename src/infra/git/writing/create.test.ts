import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, newDiskPath, refName } from '../model/names.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

/** A repository that does not exist yet. */
function newLocation() {
  return own.git.repository({ storage: 'default', diskPath: newDiskPath() })
}

describe('a new repository', () => {
  test('is equal to one that git creates', async () => {
    const repository = newLocation()
    expect(await repository.exists()).toBe(false)
    await repository.init({ defaultBranch: branchRef('trunk')! })
    expect(await repository.exists()).toBe(true)
    const directory = await own.newDirectory()
    await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=trunk', directory])
    const settings = (path: string) => git(['config', '--file', join(path, 'config'), '--list'])
    expect(await settings(repository.directory)).toBe(await settings(directory))
    expect(await git(['-C', repository.directory, 'symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk')
    expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
  })

  test('may use SHA-256', async () => {
    const repository = newLocation()
    await repository.init({ defaultBranch: main, objectFormat: 'sha256' })
    expect(await repository.objectFormat()).toBe('sha256')
    const commit = { parent: null, author: ada, committer: ada, message: 'm', changes: [] }
    const oid = await admitting(repository).createCommit(commit)
    expect(oid).toHaveLength(64)
    await repository.updateRefs([{ ref: main, old: '0'.repeat(64) as typeof oid, new: oid }])
    expect((await repository.refs(1)).branches).toEqual([{ name: 'main', oid }])
    expect((await repository.commits([oid])).get(oid)?.message).toBe('m')
    expect((await repository.fsck()).ok).toBe(true)
  })

  test('is created once by concurrent calls, and refused where a repository with objects exists', async () => {
    const repository = newLocation()
    await Promise.all(Array.from({ length: 5 }, () => repository.init({ defaultBranch: main })))
    const oid = await commitFiles(repository, { a: '1' })
    const again = repository.init({ defaultBranch: branchRef('other')! })
    await expect(again).rejects.toMatchObject({ code: 'repository_exists' })
    expect(await repository.refs(1)).toMatchObject({ head: main, branches: [{ name: 'main', oid }] })
    expect(await readdir(dirname(repository.directory))).toHaveLength(1)
  })

  test('requires a branch as HEAD, and a configured storage', async () => {
    await expect(newLocation().init({ defaultBranch: refName('refs/tags/x')! })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    const somewhere = { storage: 'constructor', diskPath: newDiskPath() }
    expect(() => own.git.repository(somewhere)).toThrow(expect.objectContaining({ code: 'unknown_storage' }))
  })

  test('a crash during creation leaves nothing at its path, and leftovers are swept', async () => {
    const repository = newLocation()
    const half = `${repository.directory}.new-01234567-89ab-cdef-0123-456789abcdef`
    await mkdir(join(half, 'objects'), { recursive: true })
    const unrelated = join(dirname(repository.directory), 'notes')
    await writeFile(unrelated, '')
    expect(await repository.exists()).toBe(false)
    await repository.init({ defaultBranch: main })
    const now = (await stat(half)).ctime
    expect(await own.git.sweep('default', { olderThanMs: 1_000, now })).toBe(0)
    const later = new Date(now.getTime() + 2_000)
    expect(await own.git.sweep('default', { olderThanMs: 1_000, now: later })).toBe(1)
    expect(await repository.exists()).toBe(true)
    expect(await readdir(dirname(unrelated))).toContain('notes')
  })
})

describe('removing', () => {
  test('is complete, may be repeated, and frees the path', async () => {
    const repository = newLocation()
    await repository.remove()
    await repository.init({ defaultBranch: main })
    const oid = await commitFiles(repository, { a: '1' })
    expect(await repository.commits([oid])).toHaveProperty('size', 1)
    expect((await repository.refs(7)).branches).toHaveLength(1)
    await repository.remove()
    await repository.remove()
    expect(await readdir(dirname(repository.directory))).toEqual([])
    await repository.init({ defaultBranch: main })
    // No data of the old one is readable, nor cached.
    expect((await repository.refs(7)).branches).toEqual([])
    expect(await repository.commits([oid])).toHaveProperty('size', 0)
    expect(await repository.object(oid)).toBeNull()
  })
})
