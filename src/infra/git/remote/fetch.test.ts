import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { FetchOptions } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, openGate, openTestGit, serve, type TestGit, type TestServer } from '../testing.ts'

let own: TestGit
let source: Repository
let server: TestServer
let tip: Oid
beforeAll(async () => {
  own = await openTestGit()
  source = await own.newRepository()
  await commitFiles(source, { a: '1' })
  tip = await commitFiles(source, { a: '2' })
  await source.updateRefs([
    { ref: tagRef('v1')!, old: ZERO_SHA1, new: tip },
    { ref: branchRef('deep/er/branch')!, old: ZERO_SHA1, new: tip },
  ])
  server = await serve(source, openGate())
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

const everything: FetchOptions = {
  refspecs: ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
  timeoutMs: 30_000,
}

describe('fetching objects with a size limit', () => {
  const objectsOf = async (copy: Repository) =>
    (await readdir(join(copy.directory, 'objects'), { recursive: true })).filter((path) =>
      /tmp|pack-|\w\w\//.test(path),
    )

  test('stores small enough data, and nothing otherwise', async () => {
    const large = await own.newRepository()
    const oid = await commitFiles(large, { noise: randomBytes(3_000_000) })
    await using from = await serve(large, openGate())
    const copy = await own.newRepository()
    const fetched = (maxBytes: number) => copy.fetchObjectsFromRemote(from.url, [oid], { timeoutMs: 30_000, maxBytes })
    await expect(fetched(1_000_000)).rejects.toMatchObject({ code: 'too_large' })
    expect(await objectsOf(copy)).toEqual([])
    expect(await copy.object(oid)).toBeNull()
    await fetched(10_000_000)
    expect((await readdir(join(copy.directory, 'objects'))).toSorted()).toEqual(['info', 'pack'])
    await copy.updateRefs([{ ref: branchRef('main')!, old: null, new: oid }])
    expect(await copy.fsck()).toEqual({ ok: true, problems: [] })
    // Existing objects are not sent again.
    await fetched(100)
  })

  test('ends when the server does not stop sending', async () => {
    const { objectId, pack } = endlessPack()
    let isLeft = false
    const endless = createServer((request, response) => {
      response.on('close', () => {
        isLeft ||= request.method === 'POST'
      })
      if (request.method !== 'POST') {
        const first = packet('# service=git-upload-pack\n')
        const head = `${objectId} refs/heads/main\0allow-tip-sha1-in-want\n`
        response.setHeader('Content-Type', 'application/x-git-upload-pack-advertisement')
        response.end(`${first}0000${packet(head)}0000`)
        return
      }
      response.setHeader('Content-Type', 'application/x-git-upload-pack-result')
      response.write(packet('NAK\n'))
      pack.pipe(response)
    }).listen(0, '127.0.0.1')
    await once(endless, 'listening')
    const copy = await own.newRepository()
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/x.git`
    const fetched = copy.fetchObjectsFromRemote(url, [objectId], { timeoutMs: 30_000, maxBytes: 1_000_000 })
    await expect(fetched).rejects.toMatchObject({ code: 'too_large' })
    await expect.poll(() => isLeft).toBe(true)
    expect(await objectsOf(copy)).toEqual([])
    endless.closeAllConnections()
    endless.close()
  })
})

const packet = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`

/** An endless pack that declares a very large blob. */
function endlessPack(): { objectId: Oid; pack: Readable } {
  const header = Buffer.from([0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2, 0, 0, 0, 1])
  // A blob of 2^45 bytes and some: four bits of the size in the first byte, seven in each that follows.
  const sizes = Buffer.from([0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
  async function* noise() {
    for (;;) yield randomBytes(64 * 1024)
  }
  const content = Readable.from(noise()).pipe(createDeflate({ level: 0 }))
  async function* all() {
    yield header
    yield sizes
    yield* content
  }
  return { objectId: 'a'.repeat(40) as Oid, pack: Readable.from(all()) }
}

describe('fetching', () => {
  test('fetches branches and tags, and keeps other branches', async () => {
    const copy = await own.newRepository()
    await commitFiles(copy, { old: '1' }, { branch: branchRef('obsolete')! })
    await copy.fetchFrom(server.url, everything)
    expect((await copy.refs(1)).branches.map(({ name }) => name)).toEqual(['deep/er/branch', 'main', 'obsolete'])
    expect((await copy.refs(1)).tag('v1')?.oid).toBe(tip)
    expect(await copy.fsck()).toEqual({ ok: true, problems: [] })
  })

  test('pins addresses by configuration', async () => {
    const copy = await own.newRepository()
    const { port } = new URL(server.url)
    const config = [`http.curloptResolve=git.example.test:${port}:127.0.0.1`]
    await copy.fetchFrom(`http://git.example.test:${port}/repository.git`, { ...everything, config })
    expect((await copy.refs(1)).branches).toHaveLength(2)
  })

  test.each([
    ...[
      '/etc',
      'file:///etc',
      'ext::sh -c id',
      'ssh://x/y',
      'git@x:y',
      '--upload-pack=id',
      'http://',
      'http://-x/',
      'ftp://x/y',
    ],
  ])('from %j is refused before a command runs', async (url) => {
    const copy = await own.newRepository()
    await expect(copy.fetchFrom(url, everything)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test.each([
    ...[
      '--upload-pack=id',
      'main',
      'refs/heads/a',
      'refs/heads/*:../x',
      'refs/heads/a:refs/heads/b:c',
      '+:',
      'a b:refs/heads/x',
    ],
    ...['refs/heads/*/*:refs/heads/*', ''],
  ])('with the refspec %j is refused', async (refspec) => {
    const copy = await own.newRepository()
    const options = { ...everything, refspecs: [refspec] }
    await expect(copy.fetchFrom(server.url, options)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test.each(['core.sshCommand=id', 'alias.x=!id', 'http', 'http.x y=1', '=x'])(
    'with the setting %j is refused',
    async (text) => {
      const copy = await own.newRepository()
      const options = { ...everything, config: [text] }
      await expect(copy.fetchFrom(server.url, options)).rejects.toMatchObject({ code: 'invalid_input' })
    },
  )
})

describe('a hostile server', () => {
  async function answering(answer: (path: string) => { status: number; headers: Record<string, string> } | null) {
    const seen: { path: string; authorization?: string }[] = []
    const web = createServer((request, response) => {
      seen.push({ path: request.url ?? '', authorization: request.headers.authorization })
      const given = answer(request.url ?? '')
      if (given !== null) response.writeHead(given.status, given.headers).end()
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/x.git`
    const close = async () => {
      web.closeAllConnections()
      await new Promise((resolve) => web.close(resolve))
    }
    return { url, seen, [Symbol.asyncDispose]: close }
  }

  test('cannot redirect', async () => {
    await using evil = await answering((path) => ({
      status: 302,
      headers: { location: server.url + path.slice('/x.git'.length) },
    }))
    const copy = await own.newRepository()
    await expect(copy.fetchFrom(evil.url, everything)).rejects.toMatchObject({ code: 'command_failed' })
    expect((await copy.refs(1)).branches).toEqual([])
  })

  test('gets no password, or the one in the address', async () => {
    await using evil = await answering(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }))
    const copy = await own.newRepository()
    await expect(copy.fetchFrom(evil.url, everything)).rejects.toMatchObject({ code: 'command_failed' })
    expect(evil.seen.at(-1)?.authorization).toBeUndefined()
    const withLogin = evil.url.replace('http://', 'http://ada:p%40ss@')
    await expect(copy.fetchFrom(withLogin, everything)).rejects.toMatchObject({ code: 'command_failed' })
    expect(evil.seen.at(-1)?.authorization).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`)
  })

  test('is ended at the time limit', async () => {
    await using evil = await answering(() => null)
    const copy = await own.newRepository()
    const slow = copy.fetchFrom(evil.url, { ...everything, timeoutMs: 300 })
    await expect(slow).rejects.toMatchObject({ code: 'timeout' })
    const controller = new AbortController()
    const aborted = copy.fetchFrom(evil.url, { ...everything, signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
  })
})
