import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, newDiskPath, refName, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { Runner } from '../process/runner.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { copyRepository } from './copy.ts'

/** A file system of its own on Linux, so that links from it are impossible. */
const otherFileSystem = '/dev/shm'

let own: TestGit
let elsewhere: string
beforeAll(async () => {
  const parent = await stat(otherFileSystem).then(
    () => otherFileSystem,
    () => '/tmp',
  )
  elsewhere = await mkdtemp(join(parent, 'fennec-copy-'))
  const here = await mkdtemp('/tmp/fennec-copy-')
  own = await openTestGit({ storages: { default: here, elsewhere } })
})
afterAll(async () => {
  const storage = own.git.repository({ storage: 'default', diskPath: newDiskPath() }).directory.split('/@hashed')[0]
  await own[Symbol.asyncDispose]()
  for (const path of [elsewhere, storage ?? elsewhere]) await rm(path, { recursive: true, force: true })
})

/** A repository that does not exist yet. */
function newLocation(storage = 'default') {
  return own.git.repository({ storage, diskPath: newDiskPath() })
}

async function historyWithHiddenRefs(): Promise<Repository> {
  const source = await own.newRepository()
  const first = await commitFiles(source, { a: '1' })
  await commitFiles(source, { a: '2' }, { branch: branchRef('topic')!, parent: first })
  await source.updateRefs(
    [tagRef('v1')!, refName('refs/keep-around/x')!, refName('refs/merge-requests/1/head')!].map((ref) => ({
      ref,
      old: ZERO_SHA1,
      new: first,
    })),
  )
  return source
}

const pathsBelow = async ({ directory }: Repository) =>
  (await readdir(join(directory, 'objects'), { recursive: true })).sort()

describe('a complete copy', () => {
  test('has all refs, HEAD, unreachable objects and the files of maintenance, also in another file system', async () => {
    const source = await historyWithHiddenRefs()
    await source.setHead(branchRef('topic')!)
    await source.optimize({ full: true })
    const unreachable = await admitting(source).createCommit({
      parent: null,
      author: ada,
      committer: ada,
      message: 'unreachable',
      changes: [],
    })
    for (const storage of ['default', 'elsewhere']) {
      const copy = newLocation(storage)
      await copy.mirrorFrom(source)
      expect(await copy.refsChecksum()).toBe(await source.refsChecksum())
      expect(await copy.head()).toBe('refs/heads/topic')
      expect(await copy.object(unreachable)).toMatchObject({ type: 'commit' })
      expect(await pathsBelow(copy)).toEqual(await pathsBelow(source))
      expect(await git(['-C', copy.directory, 'config', '--list', '--local'])).not.toContain('remote')
      expect(await copy.fsck()).toEqual({ ok: true, problems: [] })
      expect(await copy.fsck({ connectivityOnly: true })).toEqual({ ok: true, problems: [] })
      await expect(copy.mirrorFrom(source)).rejects.toMatchObject({ code: 'repository_exists' })
    }
  })

  test('shares files with the source only if it may', async () => {
    const source = await historyWithHiddenRefs()
    await source.optimize({ full: true })
    const [name] = (await pathsBelow(source)).filter((path) => path.endsWith('.pack'))
    const links = async (hardLinks?: boolean) => {
      const copy = newLocation()
      await copy.mirrorFrom(source, { ...(hardLinks === undefined ? {} : { hardLinks }) })
      return (await stat(join(copy.directory, 'objects', name ?? ''))).nlink
    }
    expect([await links(false), await links(), await links(false)]).toEqual([1, 2, 1])
  })

  test('leaves out objects in quarantine', async () => {
    const source = await historyWithHiddenRefs()
    const quarantine = join(source.directory, 'objects/tmp_objdir-incoming-AbCdEf')
    await mkdir(join(quarantine, 'pack'), { recursive: true })
    await writeFile(join(quarantine, 'pack/tmp_pack_XyZ'), 'half')
    const copy = newLocation()
    await copy.mirrorFrom(source)
    expect((await pathsBelow(copy)).filter((path) => path.startsWith('tmp_objdir'))).toEqual([])
  })

  test('of an empty SHA-256 repository has its format; of a missing one, or when it is aborted, leaves nothing', async () => {
    const empty = newLocation()
    await empty.init({ defaultBranch: branchRef('trunk')!, objectFormat: 'sha256' })
    const copy = newLocation('elsewhere')
    await copy.mirrorFrom(empty)
    expect([await copy.head(), await copy.objectFormat()]).toEqual(['refs/heads/trunk', 'sha256'])
    expect(await copy.refsChecksum()).toBe(await empty.refsChecksum())
    const target = newLocation()
    await expect(target.mirrorFrom(newLocation())).rejects.toMatchObject({ code: 'repository_missing' })
    const aborting = target.mirrorFrom(empty, { signal: AbortSignal.abort() })
    await expect(aborting).rejects.toMatchObject({ code: 'aborted' })
    expect(await readdir(dirname(target.directory)).catch(() => [])).toEqual([])
  })
})

describe('a fork', () => {
  test('creates an independent repository with branches and tags, without hidden refs', async () => {
    const source = await own.newRepository()
    const first = await commitFiles(source, { a: '1' })
    const second = await commitFiles(source, { a: '2' }, { branch: branchRef('topic')!, parent: first })
    await source.updateRefs([
      { ref: tagRef('v1')!, old: ZERO_SHA1, new: first },
      { ref: refName('refs/keep-around/x')!, old: ZERO_SHA1, new: first },
    ])
    const copy = newLocation('elsewhere')
    await copy.copyFrom(source)
    expect((await copy.refs(1)).branches).toEqual((await source.refs('s')).branches)
    expect((await copy.refs(1)).tags).toHaveLength(1)
    expect(await git(['-C', copy.directory, 'for-each-ref', 'refs/keep-around'])).toBe('')
    expect(await git(['-C', copy.directory, 'config', '--list', '--local'])).not.toContain('remote')
    await source.remove()
    expect(await copy.fsck()).toEqual({ ok: true, problems: [] })
    expect((await copy.commits([second])).size).toBe(1)
    await expect(copy.copyFrom(copy)).rejects.toMatchObject({ code: 'repository_exists' })
  })

  test('is attempted again when packs are missing that the source has; the last attempt fails', async () => {
    const source = await own.newRepository()
    await commitFiles(source, { a: '1' })
    await source.optimize({ full: true })
    await using owned = await openTestRunner()
    /** What git does when a pack is replaced while it lists the directory. */
    const losing = (times: number): Runner => ({
      ...owned.runner,
      async run(command, options) {
        const exit = await owned.runner.run(command, options)
        const made = command.subcommand === 'clone' && owned.started.length <= times && command.operands?.at(-1)
        if (made) await rm(join(`${made}`, 'objects/pack'), { recursive: true })
        return exit
      },
    })
    const copy = newLocation()
    await copyRepository({ ...owned.contextOf(copy), runner: losing(1) }, source)
    expect(await copy.fsck()).toEqual({ ok: true, problems: [] })
    const target = newLocation()
    const copying = copyRepository({ ...owned.contextOf(target), runner: losing(100) }, source)
    await expect(copying).rejects.toMatchObject({
      code: 'command_failed',
      message: expect.stringContaining('repacked while it was copied'),
    })
    expect(await target.exists()).toBe(false)
  })

  test('of one branch copies no objects of others', async () => {
    const source = await own.newRepository()
    const shared = await commitFiles(source, { a: '1' })
    const secret = await commitFiles(source, { secret: 's' }, { branch: branchRef('secret')!, parent: shared })
    const copy = newLocation()
    await copy.copyFrom(source, { branch: main })
    expect(await copy.refs(1)).toMatchObject({ head: main, branches: [{ name: 'main', oid: shared }] })
    expect(await copy.object(secret)).toBeNull()
    expect((await copy.fsck()).ok).toBe(true)
  })

  test('of an empty repository is empty; of a missing one fails and leaves nothing', async () => {
    const empty = newLocation()
    await empty.copyFrom(await own.newRepository())
    expect((await empty.refs(1)).branches).toEqual([])
    const target = newLocation()
    await expect(target.copyFrom(newLocation())).rejects.toMatchObject({ code: 'repository_missing' })
    expect(await target.exists()).toBe(false)
  })
})
