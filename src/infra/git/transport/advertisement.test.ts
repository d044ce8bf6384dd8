import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDiskPath, type Oid, type RefName, refName, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

let generation = 0
/** What stands before a push, both ways. @returns it without a process where that is possible, and that of git */
async function bothWays(from: Repository) {
  generation += 1
  let asked = 0
  const currentRefs = () => {
    asked += 1
    return from.refs(`announced-${generation}`)
  }
  const announced = async (options: { currentRefs?: typeof currentRefs }) => {
    const output = new PassThrough()
    const answer = text(output)
    await from.advertise({ service: 'receive-pack', ...options }, output)
    return answer
  }
  const ofGit = await announced({})
  return { own: await announced({ currentRefs }), ofGit, asked }
}

const refs = async (repository: Repository, oid: Oid, names: readonly string[]) =>
  repository.updateRefs(names.map((name) => ({ ref: refName(name) as RefName, old: ZERO_SHA1, new: oid })))

async function withRefs(...names: string[]) {
  const repository = await own.newRepository()
  const oid = (await commitFiles(repository, { a: '1' })) as Oid
  await refs(repository, oid, names)
  return { repository, oid }
}

const hidden = ['refs/merge-requests/1/head', 'refs/pipelines/7', 'refs/keep-around/x']

test('without a process the refs before a push are those of git', async () => {
  const { repository } = await withRefs('refs/heads/b-c', 'refs/heads/b/c', 'refs/heads/é', 'refs/tags/v1', ...hidden)
  const by = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await git(['-C', repository.directory, ...by, 'tag', '--annotate', '--message', 'x', 'v2', 'main'])
  const { own, ofGit, asked } = await bothWays(repository)
  expect(own).toBe(ofGit)
  expect(own).toMatch(/^001f# service=git-receive-pack\n0000.*\0 ?report-status .*\n/)
  expect(own).not.toContain('refs/pipelines')
  expect(asked).toBe(1)
})

test('those of a repository without a ref, and packed notes, are those of git', async () => {
  const empty = await bothWays(await own.newRepository())
  expect(empty).toMatchObject({ own: empty.ofGit, asked: 1 })
  expect(empty.own).toContain(`${ZERO_SHA1} capabilities^{}\0`)
  const { repository } = await withRefs('refs/notes/z', 'refs/notes/commits', 'refs/tags/v1', ...hidden)
  const loose = await bothWays(repository)
  expect(loose).toMatchObject({ own: loose.ofGit, asked: 0 })
  await git(['-C', repository.directory, 'pack-refs', '--all'])
  const packed = await bothWays(repository)
  expect(packed).toMatchObject({ own: packed.ofGit, asked: 1 })
  expect(packed.own).toContain('refs/notes/commits\n')
})

test('git lists those of a shallow repository, of SHA-256, and names that are not UTF-8', async () => {
  const { repository, oid } = await withRefs()
  await writeFile(join(repository.directory, 'shallow'), `${oid}\n`)
  const shallow = await bothWays(repository)
  expect(shallow).toMatchObject({ own: shallow.ofGit, asked: 0 })
  expect(shallow.own).toContain(`shallow ${oid}`)
  const other = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await other.init({ defaultBranch: refName('refs/heads/main') as RefName, objectFormat: 'sha256' })
  const long = await bothWays(other)
  expect(long).toMatchObject({ own: long.ofGit, asked: 0 })
  expect(long.own).toContain('object-format=sha256')
  const odd = await withRefs()
  const line = Buffer.concat([Buffer.from(`${odd.oid} refs/heads/odd`), Buffer.from([0xff, 0x0a])])
  await appendFile(join(odd.repository.directory, 'packed-refs'), line)
  const listed = await bothWays(odd.repository)
  expect(listed.own).toBe(listed.ofGit)
})

test('those of a missing repository are an error', async () => {
  const gone = await own.newRepository()
  await gone.remove()
  await expect(bothWays(gone)).rejects.toMatchObject({ code: 'repository_missing' })
  const output = new PassThrough()
  const options = { service: 'receive-pack', currentRefs: () => gone.refs('gone') } as const
  await expect(gone.advertise(options, output)).rejects.toMatchObject({ code: 'repository_missing' })
})
