import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, newDiskPath, type Oid, type RefName, refName, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, type TestGit } from '../testing.ts'
import { listingIn } from './ref-listing.ts'

let own: TestGit
let repository: Repository
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  const oid = await commitFiles(repository, { a: '1' })
  const names = ['refs/heads/b-c', 'refs/heads/b/c', 'refs/heads/é', 'refs/tags/light', 'refs/merge-requests/1/head']
  const created = [...names, 'refs/notes/commits', 'refs/keep-around/x', 'refs/pipelines/7'].map(
    (name) => refName(name) as RefName,
  )
  await repository.updateRefs(created.map((ref) => ({ ref, old: ZERO_SHA1, new: oid })))
  for (const [name, of] of [
    ['v1', 'main'],
    ['v2', 'v1'],
  ]) {
    const by = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    await git(['-C', repository.directory, ...by, 'tag', '--annotate', '--message', 'x', name!, of!])
  }
})
afterAll(() => own[Symbol.asyncDispose]())

const packet = (line: string) => `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, '0')}${line}`
const requestOf = (lines: readonly string[], head = ['command=ls-refs\n', 'agent=git/2\n', 'object-format=sha1\n']) =>
  Buffer.from(`${head.map(packet).join('')}0001${lines.map((line) => packet(`${line}\n`)).join('')}0000`)

/** What is answered to a request; `currentRefs` lets it be answered without a process. */
async function answerTo(
  request: Buffer,
  from: Repository,
  currentRefs?: () => ReturnType<Repository['refs']>,
  shownRefs?: 'refs' | 'refs/pipelines',
) {
  const output = new PassThrough()
  const options = { stateless: true, protocol: 'version=2', shownRefs, ...(currentRefs && { currentRefs }) }
  const answer = text(output)
  await from.uploadPack(options, Readable.from([request]), output)
  return answer
}

let generation = 0
/** Answers a request both ways. @returns the answer without a process, and that of git */
async function bothWays(lines: readonly string[], from = repository) {
  generation += 1
  let asked = 0
  const refs = () => {
    asked += 1
    return from.refs(`listed-${generation}`)
  }
  const request = requestOf(lines)
  const own = await answerTo(request, from, refs)
  return { own, ofGit: await answerTo(request, from), asked }
}

const heads = 'ref-prefix refs/heads/'
const tags = 'ref-prefix refs/tags/'

describe('refs are listed as git lists them', () => {
  test.each([
    [['peel', 'symrefs', 'unborn', 'ref-prefix HEAD', heads, tags]],
    [['peel', heads, tags]],
    [['symrefs', 'ref-prefix HEAD']],
    [['ref-prefix HEAD']],
    [[tags]],
    [['ref-prefix refs/heads/b', 'ref-prefix refs/heads/é', 'ref-prefix main', 'ref-prefix refs/main']],
    [['ref-prefix refs/heads/none', 'ref-prefix refs/remotes/main']],
  ])('for %j', async (lines) => {
    const { own, ofGit, asked } = await bothWays(lines)
    expect(own).toBe(ofGit)
    expect(asked).toBe(1)
  })

  test.each([
    [['peel', 'symrefs', 'unborn', 'ref-prefix HEAD', heads]],
    [['symrefs', 'ref-prefix HEAD', heads]],
    [['unborn', 'ref-prefix HEAD', heads]],
  ])('without a commit, for %j', async (lines) => {
    const { own: listed, ofGit } = await bothWays(lines, await own.newRepository())
    expect(listed).toBe(ofGit)
  })
})

/** Requests for refs that no snapshot has. */
const beyond = [
  [[]],
  [['peel', 'symrefs']],
  [['ref-prefix refs/']],
  [['ref-prefix refs/merge-requests/1']],
  [['ref-prefix refs/n', heads]],
  [['ref-prefix ']],
]

describe('refs beyond branches and tags are listed', () => {
  let packed: Repository
  const other = (name: string) => refName(`refs/${name}`) as RefName
  beforeAll(async () => {
    packed = await own.newRepository()
    const oid = await commitFiles(packed, { a: '1' })
    const names = [
      'notes/é',
      'notes/z',
      'merge-requests/10/head',
      'merge-requests/2/head',
      'pipelines/7',
      'keep-around/x',
    ]
    await packed.updateRefs([...names, 'tags/v1'].map((name) => ({ ref: other(name), old: ZERO_SHA1, new: oid })))
    await git(['-C', packed.directory, 'pack-refs', '--all'])
  })

  test.each(beyond)('from packed-refs, for %j', async (lines) => {
    const { own, ofGit, asked } = await bothWays(lines, packed)
    expect(own).toBe(ofGit)
    expect(asked).toBe(1)
  })

  test.each(['refs', 'refs/pipelines'] as const)('to clients that see %s', async (shownRefs) => {
    const request = requestOf(['peel'])
    const listed = await answerTo(request, packed, () => packed.refs('shown'), shownRefs)
    expect(listed).toBe(await answerTo(request, packed, undefined, shownRefs))
    expect(listed).toContain('refs/pipelines/7')
    expect(listed.includes('refs/keep-around/x')).toBe(shownRefs === 'refs')
  })

  test('by git, where one has a file of its own, is not UTF-8, or there are many', async () => {
    const oid = (await packed.refs('before')).branch('main')?.oid as Oid
    await packed.updateRefs([{ ref: other('notes/own'), old: ZERO_SHA1, new: oid }])
    expect(await bothWays([], packed)).toMatchObject({ asked: 0, ofGit: expect.stringContaining('refs/notes/own') })
    await git(['-C', packed.directory, 'pack-refs', '--all'])
    expect(await bothWays([], packed)).toMatchObject({ asked: 1, own: expect.stringContaining('refs/notes/own') })
    const path = join(packed.directory, 'packed-refs')
    const before = await readFile(path)
    await appendFile(path, Buffer.concat([Buffer.from(`${oid} refs/zz/odd`), Buffer.from([0xff, 0x0a])]))
    expect((await bothWays([], packed)).asked).toBe(0)
    await writeFile(path, before)
    const many = Array.from({ length: 4_000 }, (_, index) => `${oid} refs/zz/${index}/${'n'.repeat(20)}\n`)
    await appendFile(path, many.join(''))
    const listed = await bothWays([], packed)
    expect(listed.own).toBe(listed.ofGit)
    expect(listed.asked).toBe(0)
  })
})

describe('git lists', () => {
  test.each(beyond)('what no snapshot has: %j', async (lines) => {
    const { own, ofGit, asked } = await bothWays(lines)
    expect(own).toBe(ofGit)
    expect(asked).toBe(0)
  })

  test.each(['refs', 'refs/pipelines'] as const)('what only some clients see: %s', async (shownRefs) => {
    const request = requestOf(['ref-prefix refs/pipelines/'])
    const refs = () => repository.refs('shown')
    const listed = await answerTo(request, repository, refs, shownRefs)
    expect(listed).toBe(await answerTo(request, repository, undefined, shownRefs))
    expect(listed).toContain('refs/pipelines/7')
    expect(await answerTo(request, repository, refs)).toBe('0000')
  })

  test('names that are not UTF-8', async () => {
    const odd = await own.newRepository()
    const oid = await commitFiles(odd, { a: '1' })
    const line = Buffer.concat([Buffer.from(`${oid} refs/heads/odd`), Buffer.from([0xff, 0x0a])])
    await appendFile(join(odd.directory, 'packed-refs'), line)
    const { own: listed, ofGit } = await bothWays([heads], odd)
    expect(listed).toBe(ofGit)
    expect(listed.match(/refs\/heads\//g)).toHaveLength(2)
  })

  test.each([
    ['half a request', requestOf([heads]).subarray(0, -5)],
    ['more than one request', Buffer.concat([requestOf([heads]), requestOf([heads])])],
    ['no request', Buffer.from('0000')],
    ['a length that is none', Buffer.from('zzzz0000')],
    ['a length beyond the end', Buffer.from('ffff0000')],
    ['an unknown line', requestOf([heads, 'sizes'])],
    ['another object format', requestOf([heads], ['command=ls-refs\n', 'object-format=sha256\n'])],
    ['another command', requestOf([heads], ['command=fetch\n'])],
  ])('%s', (_what, request) => {
    expect(listingIn(request)).toBeNull()
  })
})

test('repositories with SHA-256 have capabilities of their own, and git lists their refs', async () => {
  const other = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await other.init({ defaultBranch: refName('refs/heads/main') as RefName, objectFormat: 'sha256' })
  const advertised = async (from: Repository) => {
    const output = new PassThrough()
    const answer = text(output)
    await from.advertise({ service: 'upload-pack', protocol: 'version=2' }, output)
    return answer
  }
  for (const [from, format] of [
    [repository, 'sha1'],
    [other, 'sha256'],
    [repository, 'sha1'],
  ] as const) {
    expect(await advertised(from)).toContain(`object-format=${format}\n`)
  }
  const { ofGit, asked } = await bothWays([heads], repository)
  expect([ofGit.includes('refs/heads/main'), asked]).toEqual([true, 1])
  await expect(answerTo(requestOf([heads]), other, () => other.refs('1'))).rejects.toMatchObject({
    code: 'protocol_error',
  })
})

test('a push is listed at once, and a missing repository is an error', async () => {
  const pushed = await own.newRepository()
  const oid = (await commitFiles(pushed, { a: '1' })) as Oid
  const list = (label: string) => answerTo(requestOf([heads, tags]), pushed, () => pushed.refs(label))
  expect(await list('1')).toBe(`${packet(`${oid} refs/heads/main\n`)}0000`)
  await pushed.updateRefs([
    { ref: branchRef('next') as RefName, old: ZERO_SHA1, new: oid },
    { ref: tagRef('v1') as RefName, old: ZERO_SHA1, new: oid },
  ])
  expect(await list('2')).toContain('refs/heads/next\n')
  expect(await list('2')).toContain('refs/tags/v1\n')
  await pushed.setHead(branchRef('next') as RefName)
  const head = () => answerTo(requestOf(['symrefs', 'ref-prefix HEAD']), pushed, () => pushed.refs('2'))
  expect(await head()).toContain('symref-target:refs/heads/next\n')
  await pushed.remove()
  await expect(list('3')).rejects.toMatchObject({ code: 'repository_missing' })
  const output = new PassThrough()
  const advertised = pushed.advertise({ service: 'upload-pack', protocol: 'version=2' }, output)
  await expect(advertised).rejects.toMatchObject({ code: 'repository_missing' })
})
