import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../../testing/index.ts'
import { GitClient } from '../clients/git.ts'
import { type Answer, contextFor, startFake, token } from '../testing.ts'
import { placeOf } from './context.ts'
import { bringLargeFiles } from './large-files.ts'

const content = Buffer.from('a large file '.repeat(10_000))
const oid = createHash('sha256').update(content).digest('hex')
const place = placeOf('projects', 'g/p', 1, 2)

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  folder = await temporaryDirectory()
  const git = new GitClient({ PATH: process.env.PATH ?? '' })
  await git.require({ folder: folder.path, parameters: ['init', '--quiet', '--bare'] })
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`
  for (const blob of [
    pointer,
    pointer.replace('version', 'Version'),
    'x'.repeat(500),
    `${pointer}more\n`,
    '\n'.repeat(200),
  ]) {
    const parameters = ['hash-object', '-w', '--stdin']
    await text(git.stream({ folder: folder.path, parameters, input: Readable.from([blob]) }))
  }
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Brings the large files of the repository. @param download the action that the source names */
async function broughtBy(download: (own: string) => unknown, file: Answer = { body: content }) {
  const stored: Buffer[] = []
  const batches: unknown[] = []
  await using source = await startFake(async (request) => {
    if (request.url !== '/g/p.git/info/lfs/objects/batch') return file
    batches.push(JSON.parse(await text(request)))
    return {
      body: { objects: [{ oid, size: content.length, ...(download(`http://${request.headers.host}`) as object) }] },
    }
  })
  await using target = await startFake(async (request) => {
    if (request.method === 'PUT') {
      const body = await buffer(request).catch(() => null)
      if (body) stored.push(body)
      return { body: {} }
    }
    // The server knows itself by another name than the one it is reached by.
    const href = 'http://outside.invalid/store'
    return { body: { objects: [{ oid, actions: { upload: { href, header: { Authorization: `Basic ${token}` } } } }] } }
  })
  const context = contextFor({ source: source.url, target: target.url })
  const remote = { url: '', authorization: '' }
  await bringLargeFiles(context, place, { folder: folder.path, target: remote })
  const problems = context.state.problems().map(({ reason }) => reason)
  return { stored, problems, batches, source }
}

const action = (href: string, header = {}) => ({ actions: { download: { href, header } } })

test('a large file that a pointer names is brought once', async () => {
  const { stored, problems, batches, source } = await broughtBy((own) => action(`${own}/file`))
  expect([problems, stored.length]).toEqual([[], 1])
  expect(stored[0]?.equals(content)).toBe(true)
  expect(batches).toMatchObject([{ operation: 'download', objects: [{ oid, size: content.length }] }])
  expect(source.credentials).toEqual([expect.stringMatching(/^Basic /), expect.stringMatching(/^Basic /)])
})

test('a store elsewhere gets the headers of the action, unless these have the token in them', async () => {
  await using store = await startFake(() => ({ body: content }))
  const good = await broughtBy(() => action(store.url, { 'X-Signature': 'abc', Authorization: 'Bearer for-the-store' }))
  expect([good.problems, good.stored.length, store.credentials]).toEqual([[], 1, ['Bearer for-the-store']])
  const basic = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`
  const { problems, stored } = await broughtBy(() => action(store.url, { Authorization: basic }))
  expect(problems).toEqual([`its address is at ${store.url}, where the token is not sent`])
  expect([stored, store.received.length]).toEqual([[], 1])
})

test.each<[string, (own: string) => unknown, Answer, RegExp]>([
  ['another content', (own) => action(own), { body: Buffer.alloc(content.length) }, /another content/],
  ['too little', (own) => action(own), { body: 'x' }, /sends 1 of/],
  ['too much', (own) => action(own), { body: Buffer.concat([content, content]) }, /more than/],
  ['a refusal', () => ({ error: { code: 404, message: 'gone' } }), {}, /^gone \(404\)$/],
  ['no address', () => ({}), {}, /names no address/],
  ['an address of another protocol', () => action('file:///etc/passwd'), {}, /no address of HTTP/],
  ['a page', (own) => action(own), { status: 500, body: '<html>' }, /the source answers 500/],
])('%s is not stored', async (_name, download, file, message) => {
  const { stored, problems } = await broughtBy(download, file)
  expect(problems).toEqual([expect.stringMatching(message)])
  expect(stored).toEqual([])
})

test('a copy that git cannot read is reported', async () => {
  await using empty = await temporaryDirectory()
  const context = contextFor({ source: 'http://127.0.0.1:1', target: 'http://127.0.0.1:1' })
  await bringLargeFiles(context, place, { folder: empty.path, target: { url: '', authorization: '' } })
  expect(context.state.problems()).toEqual([
    { place: 'g/p', what: 'large files (LFS)', reason: expect.stringMatching(/^git cat-file fails: .*repository/) },
  ])
})
