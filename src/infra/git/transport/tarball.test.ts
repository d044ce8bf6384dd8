import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, treePath, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

const run = promisify(execFile)

/** Unpacks a stream with the system's tar. @returns the directory */
async function unpack(stream: Readable): Promise<string> {
  const directory = await own.newDirectory()
  const file = join(await own.newDirectory(), 'repository.tar')
  await writeFile(file, stream)
  const { stderr } = await run('tar', ['-xf', file, '-C', directory])
  expect(stderr).toBe('')
  return directory
}

const fsck = (directory: string) => git(['-C', directory, 'fsck', '--full', '--strict', '--no-dangling'])
const refsOf = (directory: string) => git(['-C', directory, 'for-each-ref'])

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
}

/** Branches and tags, loose and packed. */
async function filled(): Promise<Repository> {
  const repository = await own.newRepository()
  const first = await commitFiles(repository, { a: '1' })
  await repository.optimize()
  const second = await commitFiles(repository, { a: '2', b: Buffer.alloc(300_000, 'b') })
  await repository.updateRefs([{ ref: branchRef('ü/"odd')!, old: ZERO_SHA1, new: first }])
  await git(['-C', repository.directory, 'tag', '-a', '-m', 'tag', 'v1', second])
  await git(['-C', repository.directory, 'update-ref', 'refs/keep-around/x', first])
  return repository
}

describe('a tarball', () => {
  test('unpacks to the same repository', async () => {
    const repository = await filled()
    const copy = await unpack(await repository.tarball())
    expect(await fsck(copy)).toBe('')
    expect(await refsOf(copy)).toBe(await refsOf(repository.directory))
    expect(await git(['-C', copy, 'symbolic-ref', 'HEAD'])).toBe(main)
    expect(await git(['-C', copy, 'config', '--get', 'core.bare'])).toBe('true')
    const clone = await own.newDirectory()
    await git(['clone', '--quiet', '--no-local', copy, clone])
    expect((await readFile(join(clone, 'b'))).length).toBe(300_000)
  })

  test('supports empty and SHA-256 repositories', async () => {
    const empty = await own.newRepository()
    expect(await refsOf(await unpack(await empty.tarball()))).toBe('')
    await empty.remove()
    await empty.init({ defaultBranch: main, objectFormat: 'sha256' })
    const parts = { author: ada, committer: ada, message: 'm' }
    const changes = [{ path: treePath('a')!, content: Buffer.from('1') }]
    const oid = await admitting(empty).createCommit({ parent: null, ...parts, changes })
    await empty.updateRefs([{ ref: main, old: null, new: oid }])
    const copy = await unpack(await empty.tarball())
    expect(await git(['-C', copy, 'rev-parse', 'HEAD'])).toBe(oid)
    expect(await fsck(copy)).toBe('')
  })

  test('contains only files of the repository', async () => {
    const repository = await filled()
    const { directory } = repository
    await mkdir(join(directory, 'hooks'))
    await writeFile(join(directory, 'hooks/post-checkout'), 'echo secret')
    await writeFile(
      join(directory, 'config'),
      `${await readFile(join(directory, 'config'), 'utf8')}[user]\n\tname = secret\n`,
    )
    await mkdir(join(directory, 'objects/tmp_objdir-incoming-x/aa'), { recursive: true })
    await writeFile(join(directory, 'objects/tmp_objdir-incoming-x/aa', 'b'.repeat(38)), 'secret')
    const others = ['HEAD.lock', 'packed-refs.lock', 'refs/heads/x.lock', 'objects/pack/tmp_pack_1', 'info-secret']
    for (const path of [...others, 'objects/pack/pack-x.pack', 'objects/info/alternates', 'objects/aa-secret']) {
      await writeFile(join(directory, path), path === 'objects/info/alternates' ? '' : 'secret')
    }
    await symlink('/etc/passwd', join(directory, 'secret-link'))
    const copy = await unpack(await repository.tarball())
    const files = (await filesOf(copy)).map((file) => file.slice(copy.length + 1))
    const legal =
      /^(?:HEAD|config|packed-refs|objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(?:pack|idx)))$/
    expect(files.filter((file) => !legal.test(file))).toEqual([])
    for (const file of files) expect((await readFile(join(copy, file))).includes('secret')).toBe(false)
    expect(await fsck(copy)).toBe('')
  })

  test('is consistent under concurrent changes', async () => {
    const repository = await filled()
    for (let round = 0; round < 4; round += 1) {
      const tips = new Map((await repository.refs(`before ${round}`)).branches.map(({ name, oid }) => [name, oid]))
      const stream = await repository.tarball()
      // After the first chunk, the loose objects are packed and the old pack is replaced.
      const chunks: Buffer[] = []
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
        chunks.push(chunk)
        if (chunks.length === 2 + round) break
      }
      await commitFiles(repository, { [`c${round}`]: '1' })
      await repository.optimize({ full: true })
      await commitFiles(repository, { [`d${round}`]: '1' })
      async function* all() {
        yield* chunks
        yield* stream
      }
      const copy = await unpack(Readable.from(all()))
      expect(await fsck(copy)).toBe('')
      for (const [name, oid] of tips) expect(await git(['-C', copy, 'rev-parse', `refs/heads/${name}`])).toBe(oid)
    }
  })
})

describe('a tarball fails', () => {
  test('when the repository does not exist', async () => {
    const repository = await own.newRepository()
    await repository.remove()
    await expect(repository.tarball()).rejects.toMatchObject({ code: 'repository_missing' })
  })

  test('when it is aborted or destroyed', async () => {
    const repository = await filled()
    const aborting = new AbortController()
    const stream = await repository.tarball({ signal: aborting.signal })
    aborting.abort()
    await expect(buffer(stream)).rejects.toMatchObject({ code: 'aborted' })
    await expect(repository.tarball({ signal: aborting.signal })).rejects.toMatchObject({ code: 'aborted' })
    const other = await repository.tarball()
    for await (const _ of other) break
    expect(other.destroyed).toBe(true)
  })

  test('when a file is truncated meanwhile', async () => {
    const repository = await own.newRepository()
    const content = Array.from({ length: 60_000 }, (_, index) => (index * index * 31) % 99_991).join()
    const oid = await commitFiles(repository, { a: content })
    const { oid: blob } = (await repository.entryAt(oid, treePath('a')!))!
    const file = join(repository.directory, 'objects', blob.slice(0, 2), blob.slice(2))
    expect((await stat(file)).size).toBeGreaterThan(130_000)
    await chmod(file, 0o644)
    const others = (await filesOf(join(repository.directory, 'objects'))).filter((other) => other !== file)
    for (const other of others) await rm(other)
    const stream = await repository.tarball()
    let seen = 0
    const reading = async () => {
      for await (const chunk of stream) {
        seen += (chunk as Buffer).length
        // The headers come in small pieces, the file in large ones.
        if ((chunk as Buffer).length === 64 * 1024) await writeFile(file, 'cut')
      }
    }
    await expect(reading()).rejects.toMatchObject({ code: 'command_failed' })
    expect(seen).toBeGreaterThan(0)
  })
})
