import { createHash } from 'node:crypto'
import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'
import * as shapes from './gitbeaker-shapes.ts'
import { listOf, promised } from './promised.ts'

/** The acceptance walk of the repository (contract 22) with gitbeaker: files, commits, trees, tags. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let api: Api
let theirs: Api
let id: number

beforeAll(async () => {
  server = await startTestServer()
  const maintainer = await server.user('maintainer')
  const developer = await server.user('developer')
  const project = await server.make.project('p', maintainer)
  await server.make.member({ project }, developer, 30)
  id = project.id
  api = new Gitlab({ host: server.url, token: maintainer.token })
  theirs = new Gitlab({ host: server.url, token: developer.token })
})
afterAll(() => server?.stop())

/** What a refused call was answered: its status, and what the client made of the body. */
async function refusal(call: Promise<unknown>): Promise<[number | undefined, string]> {
  const error = await call.then(
    () => new Error('was not refused'),
    (reason: Error) => reason,
  )
  return [(error as { cause?: { response?: Response } }).cause?.response?.status, error.message]
}

const create = (...names: string[]) =>
  names.map((name) => ({ action: 'create' as const, filePath: name, content: `${name}\n` }))
const headOf = async (name: string) => (await api.Branches.show(id, name)).commit.id

describe('files', () => {
  test('an empty repository has nothing, and says so', async () => {
    expect(await api.Commits.all(id)).toEqual([])
    expect(await api.Tags.all(id)).toEqual([])
    expect(await refusal(api.Repositories.allRepositoryTrees(id))).toEqual([404, '404 Tree Not Found'])
    expect(await refusal(api.Repositories.showArchive(id))).toEqual([404, '404 File Not Found'])
  })

  test('are made, read, changed and removed', async () => {
    const made = await api.RepositoryFiles.create(id, 'README.md', 'main', 'hello\n', 'first')
    expect(made).toEqual({ file_path: 'README.md', branch: 'main' })
    expect((await api.Projects.show(id)).default_branch).toBe('main')
    const twice = api.RepositoryFiles.create(id, 'README.md', 'main', 'x', 'again')
    expect(await refusal(twice)).toEqual([400, 'A file with this name already exists'])
    const shown = await promised(shapes.file, api.RepositoryFiles.show(id, 'README.md', 'main'))
    expect(Buffer.from(shown.content, 'base64').toString()).toBe('hello\n')
    expect(shown.content_sha256).toBe(createHash('sha256').update('hello\n').digest('hex'))
    const edited = await api.RepositoryFiles.edit(id, 'README.md', 'main', 'one\ntwo\n', 'second')
    expect(edited).toEqual({ file_path: 'README.md', branch: 'main' })
    const stale = { lastCommitId: shown.last_commit_id }
    const late = api.RepositoryFiles.edit(id, 'README.md', 'main', 'x', 'third', stale)
    const sentence = 'You are attempting to update a file that has changed since you started editing it.'
    expect(await refusal(late)).toEqual([400, sentence])
    expect(await api.RepositoryFiles.showRaw(id, 'README.md', 'main')).toBe('one\ntwo\n')
    const options = { range: { start: 2, end: 2 } }
    const blamed = await api.RepositoryFiles.allFileBlames(id, 'README.md', 'main', options)
    expect(blamed).toMatchObject([{ commit: { message: 'second' }, lines: ['two'] }])
    const refused = theirs.RepositoryFiles.create(id, 'x', 'main', 'x', 'x')
    expect(await refusal(refused)).toEqual([400, 'You are not allowed to push into this branch'])
  })

  test('of any name and any bytes arrive as they were sent', async () => {
    const path = 'a dir/ü#?%/x.bin'
    const bytes = Buffer.from([0, 255, 10])
    const encoding = { encoding: 'base64', executeFilemode: true }
    await api.RepositoryFiles.create(id, path, 'main', bytes.toString('base64'), 'bytes', encoding)
    expect(await api.RepositoryFiles.show(id, path, 'main')).toMatchObject({ file_path: path, execute_filemode: true })
    const raw = await api.RepositoryFiles.showRaw(id, path, 'main')
    const read = typeof raw === 'string' ? Buffer.from(raw) : Buffer.from(await raw.arrayBuffer())
    expect(read).toEqual(bytes)
    await api.RepositoryFiles.remove(id, path, 'main', 'gone')
    expect(await refusal(api.RepositoryFiles.show(id, path, 'main'))).toEqual([404, '404 File Not Found'])
  })
})

describe('commits', () => {
  test('of many changes are made as one, or not at all', async () => {
    const made = await promised(shapes.commitDetail, api.Commits.create(id, 'main', 'three', create('a', 'b', 'c')))
    expect(made.stats).toEqual({ additions: 3, deletions: 0, total: 3 })
    const changed = await api.Commits.create(id, 'main', 'four', [
      ...create('d'),
      { action: 'move', filePath: 'a2', previousPath: 'a' },
      { action: 'chmod', filePath: 'b', execute_filemode: true },
      { action: 'delete', filePath: 'c' },
    ])
    const diffs = await promised(listOf(shapes.diff), api.Commits.showDiff(id, changed.id))
    const kinds = Object.fromEntries(diffs.map((one) => [one.new_path, one]))
    expect(kinds).toMatchObject({
      a2: { old_path: 'a', renamed_file: true },
      b: { a_mode: '100644', b_mode: '100755' },
      c: { deleted_file: true },
      d: { new_file: true, diff: '@@ -0,0 +1 @@\n+d\n' },
    })
    const wrong = api.Commits.create(id, 'main', 'wrong', create('e', 'd'))
    expect(await refusal(wrong)).toEqual([400, 'A file with this name already exists'])
    expect(await headOf('main')).toBe(changed.id)
    expect((await refusal(theirs.Commits.create(id, 'main', 'x', create('x'))))[0]).toBe(403)
  })

  test('are listed and shown', async () => {
    const onNew = await api.Commits.create(id, 'new', 'on new', create('n'), { startBranch: 'main' })
    const titles = async (options: object = {}) => (await api.Commits.all(id, options)).map(({ title }) => title)
    expect(await titles()).not.toContain('on new')
    expect(await titles({ all: true })).toContain('on new')
    expect(await titles({ refName: 'new', perPage: 2 })).toEqual(['on new', ...(await titles())])
    expect(await titles({ path: 'c' })).toEqual(['four', 'three'])
    expect(await titles({ since: '2999-01-01T00:00:00Z' })).toEqual([])
    const [first] = await promised(listOf(shapes.commit), api.Commits.all(id, { withStats: true, refName: 'new' }))
    expect(first).toMatchObject({ id: onNew.id, stats: { total: 1 } })
    const shown = await promised(shapes.commitDetail, api.Commits.show(id, onNew.short_id))
    expect(shown).toMatchObject({ id: onNew.id, project_id: id, last_pipeline: null })
    expect(await refusal(api.Commits.show(id, 'nope'))).toEqual([404, '404 Commit Not Found'])
    expect(await api.Commits.showSequence(id, 'main')).toEqual({ count: (await titles()).length })
    const references = await promised(listOf(shapes.reference), api.Commits.allReferences(id, onNew.id))
    expect(references).toEqual([{ type: 'branch', name: 'new' }])
    expect(await api.Commits.allMergeRequests(id, onNew.id)).toEqual([])
    expect(await refusal(api.Commits.showGPGSignature(id, 'main'))).toEqual([404, '404 Signature Not Found'])
  })

  test('are picked and reverted', async () => {
    const picked = await headOf('new')
    await api.Branches.create(id, 'test', 'main')
    expect(await api.Commits.cherryPick(id, picked, 'test', { dryRun: true })).toEqual({ dry_run: 'success' })
    const done = await promised(shapes.commit, api.Commits.cherryPick(id, picked, 'test'))
    expect(done.message).toBe(`on new\n\n(cherry picked from commit ${picked})`)
    const [code, sentence] = await refusal(api.Commits.cherryPick(id, picked, 'test'))
    expect([code, sentence]).toEqual([400, expect.stringContaining('cannot cherry-pick this commit automatically')])
    const head = await headOf('main')
    const reverted = await promised(shapes.commit, api.Commits.revert(id, head, 'main'))
    expect(reverted.message).toBe(`Revert "four"\n\nThis reverts commit ${head}`)
    expect((await refusal(api.Commits.revert(id, head, 'main')))[0]).toBe(400)
  })

  test('are commented and discussed', async () => {
    const sha = await headOf('new')
    const place = { path: 'n', line: 1, lineType: 'new' }
    const comment = await promised(shapes.comment, api.Commits.createComment(id, sha, 'on a line', place))
    expect(comment).toMatchObject({ note: 'on a line', path: 'n', line: 1, line_type: 'new' })
    const base = (await api.Commits.show(id, sha)).parent_ids?.[0] ?? ''
    const position = {
      ...{ baseSha: base, startSha: base, headSha: sha, positionType: 'text' as const },
      ...{ newPath: 'n', oldPath: 'n', newLine: '1' },
    }
    const placed = await promised(shapes.discussion, api.CommitDiscussions.create(id, sha, 'placed', { position }))
    expect(placed.notes).toMatchObject([{ type: 'DiffNote', body: 'placed', position: { new_line: 1 } }])
    const made = await promised(shapes.discussion, api.CommitDiscussions.create(id, sha, 'begun'))
    const reply = await promised(shapes.note, api.CommitDiscussions.addNote(id, sha, made.id, 'a reply'))
    const body = 'another reply'
    await promised(shapes.note, api.CommitDiscussions.editNote(id, sha, made.id, reply.id, { body }))
    const shown = await promised(shapes.discussion, api.CommitDiscussions.show(id, sha, made.id))
    expect(shown.notes).toMatchObject([{ body: 'begun' }, { body, noteable_type: 'Commit', commit_id: sha }])
    expect((await refusal(theirs.CommitDiscussions.removeNote(id, sha, made.id, reply.id)))[0]).toBe(403)
    await api.CommitDiscussions.removeNote(id, sha, made.id, reply.id)
    expect(await promised(listOf(shapes.discussion), api.CommitDiscussions.all(id, sha))).toHaveLength(3)
    expect(await api.Commits.allComments(id, sha)).toMatchObject([{ note: 'on a line' }, {}, { note: 'begun' }])
  })

  test('have statuses from outside', async () => {
    const sha = await headOf('new')
    const options = { name: 'check', targetUrl: 'https://example.com/1', coverage: 12.5 }
    const made = await promised(shapes.status, api.Commits.editStatus(id, sha, 'running', options))
    expect(made).toMatchObject({ ...{ status: 'running', name: 'check', coverage: 12.5, ref: 'new' } })
    await promised(shapes.status, api.Commits.editStatus(id, sha, 'success', options))
    const [code, sentence] = await refusal(api.Commits.editStatus(id, sha, 'success', options))
    expect([code, sentence]).toEqual([400, expect.stringContaining('Cannot transition status via :success')])
    expect(await promised(listOf(shapes.status), api.Commits.allStatuses(id, sha))).toMatchObject([{ id: made.id }])
    const shown = await promised(shapes.commitDetail, api.Commits.show(id, sha))
    expect(shown).toMatchObject({ status: 'success', last_pipeline: { ref: 'new', status: 'success' } })
  })
})

describe('the repository', () => {
  test('shows its trees and blobs', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `tree/${String(index).padStart(2, '0')}.txt`)
    await api.Commits.create(id, 'main', 'a tree', create(...names))
    const options = { path: 'tree', pagination: 'keyset' as const, perPage: 10 }
    const entries = await promised(listOf(shapes.entry), api.Repositories.allRepositoryTrees(id, options))
    expect(entries.map(({ path }) => path)).toEqual(names)
    const pages = await api.Repositories.allRepositoryTrees(id, { path: 'tree', perPage: 10 })
    expect(pages).toEqual(entries)
    const whole = await api.Repositories.allRepositoryTrees(id, { recursive: true })
    expect(whole.map(({ type }) => type)).toContain('tree')
    const sha = entries[3]?.id ?? ''
    expect(await api.Repositories.showBlob(id, sha)).toMatchObject({ sha, size: 12, encoding: 'base64' })
    const raw: unknown = await api.Repositories.showBlobRaw(id, sha)
    expect(raw instanceof Blob ? await raw.text() : raw).toBe('tree/03.txt\n')
    expect(await refusal(api.Repositories.showBlob(id, '0'.repeat(40)))).toEqual([404, '404 Blob Not Found'])
  })

  test('is compared', async () => {
    const compared = await promised(shapes.comparison, api.Repositories.compare(id, 'main', 'new'))
    expect(compared.diffs).toMatchObject([{ new_path: 'n', new_file: true }])
    const base = await promised(shapes.commit, api.Repositories.mergeBase(id, ['main', 'new']))
    expect(compared.commits).toMatchObject([{ parent_ids: [base.id] }])
    expect(await refusal(api.Repositories.mergeBase(id, ['main']))).toEqual([400, 'Provide at least 2 refs'])
    expect(await refusal(api.Repositories.compare(id, 'main', 'nope'))).toEqual([404, '404 Ref Not Found'])
    const people = await promised(listOf(shapes.contributor), api.Repositories.allContributors(id))
    expect(people).toMatchObject([{ email: 'maintainer@example.com' }])
  })

  test('is packed', async () => {
    const packed = await api.Repositories.showArchive(id)
    expect(Buffer.from(await packed.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
    const zipped = await api.Repositories.showArchive(id, { fileType: 'zip', sha: 'main', path: 'tree' })
    const bytes = Buffer.from(await zipped.arrayBuffer())
    expect([bytes.subarray(0, 2).toString(), bytes.includes('tree/00.txt')]).toEqual(['PK', true])
    const stream = await api.Repositories.showArchive(id, { fileType: 'tar', asStream: true })
    const chunks: Uint8Array[] = []
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk)
    expect(Buffer.concat(chunks).includes('README.md')).toBe(true)
  })

  test('tells what has changed', async () => {
    await api.Tags.create(id, 'v1.0.0', 'main')
    await api.Commits.create(id, 'main', 'Bring it\n\nChangelog: added', create('it'))
    const { notes } = await api.Repositories.showChangelog(id, '1.1.0', { from: 'v1.0.0' })
    expect(notes).toContain('- [Bring it](')
    await api.Repositories.editChangelog(id, '1.1.0', { branch: 'main' })
    expect(await api.RepositoryFiles.showRaw(id, 'CHANGELOG.md', 'main')).toContain('Bring it')
    expect((await refusal(api.Repositories.showChangelog(id, 'not one')))[0]).toBe(400)
  })

  test('has tags, and rules for them', async () => {
    const made = await promised(shapes.tag, api.Tags.create(id, 'v1.1', 'main', { message: 'the first' }))
    expect(made).toMatchObject({ message: 'the first', protected: false, release: null })
    expect(await refusal(api.Tags.create(id, 'v1.1', 'main'))).toEqual([400, 'Tag v1.1 already exists'])
    const light = await promised(shapes.tag, api.Tags.create(id, 'a/b', 'main'))
    expect(light).toMatchObject({ message: '', target: light.commit.id, created_at: null })
    expect((await promised(shapes.tag, api.Tags.show(id, 'a/b'))).name).toBe('a/b')
    const sorted = await promised(listOf(shapes.tag), api.Tags.all(id, { orderBy: 'version', sort: 'asc' }))
    expect(sorted.map(({ name }) => name)).toEqual(['a/b', 'v1.0.0', 'v1.1'])
    expect(await refusal(api.Tags.showSignature(id, 'v1.1'))).toEqual([404, '404 Signature Not Found'])
    await promised(shapes.protectedTag, api.ProtectedTags.create(id, 'v*', { createAccessLevel: 40 }))
    await promised(listOf(shapes.protectedTag), api.ProtectedTags.all(id))
    await promised(shapes.protectedTag, api.ProtectedTags.show(id, 'v*'))
    expect((await api.Tags.show(id, 'v1.1')).protected).toBe(true)
    const sentence = 'You are not allowed to create this tag as it is protected.'
    expect(await refusal(theirs.Tags.create(id, 'v2', 'main'))).toEqual([400, sentence])
    expect(await refusal(theirs.Tags.remove(id, 'v1.1'))).toEqual([403, "You don't have access to delete the tag"])
    await api.ProtectedTags.unprotect(id, 'v*')
    expect((await refusal(api.ProtectedTags.show(id, 'v*')))[0]).toBe(404)
    await api.Tags.remove(id, 'v1.1')
    expect(await refusal(api.Tags.show(id, 'v1.1'))).toEqual([404, '404 Tag Not Found'])
  })
})
