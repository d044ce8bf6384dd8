import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, type RefName, tagRef, ZERO_SHA1 } from '../model/names.ts'
import type { PushedRef, PushGate } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, openGate, openTestGit, serve, type TestGit, type TestServer } from '../testing.ts'

let own: TestGit
let source: Repository
let first: Oid
let second: Oid
beforeAll(async () => {
  own = await openTestGit()
  source = await own.newRepository()
  first = await commitFiles(source, { a: '1' })
  second = await commitFiles(source, { a: '2' })
})
afterAll(() => own[Symbol.asyncDispose]())

const options = { timeoutMs: 30_000 }
const branch = (name: string) => branchRef(name) as RefName
const tag = (name: string) => tagRef(name) as RefName

/** Serves an empty repository; `also` overrides its gate. */
async function elsewhere(also: Partial<PushGate> = {}): Promise<TestServer & { repository: Repository }> {
  const repository = await own.newRepository()
  return Object.assign(await serve(repository, openGate(also)), { repository })
}

const push = (to: { url: string }, refs: readonly PushedRef[]) => source.pushTo(to.url, refs, options)
async function refsOf(repository: Repository): Promise<Record<string, string>> {
  await using there = await serve(repository, openGate())
  return Object.fromEntries(await source.remoteRefs(there.url, options))
}

describe('pushing to a remote', () => {
  test('creates, moves and deletes branches and tags', async () => {
    await using there = await elsewhere()
    await push(there, [
      { ref: branch('main'), oid: first, expected: ZERO_SHA1 },
      { ref: branch('old'), oid: first },
      { ref: tag('v1'), oid: first },
    ])
    expect(Object.fromEntries(await source.remoteRefs(there.url, options))).toEqual({
      'refs/heads/main': first,
      'refs/heads/old': first,
      'refs/tags/v1': first,
    })
    const outcome = await push(there, [
      { ref: branch('main'), oid: second },
      { ref: branch('old'), oid: ZERO_SHA1, expected: first },
      { ref: tag('v1'), oid: second, expected: first },
    ])
    expect(outcome.rejected).toEqual([])
    expect(await refsOf(there.repository)).toEqual({ 'refs/heads/main': second, 'refs/tags/v1': second })
    expect(await there.repository.fsck()).toEqual({ ok: true, problems: [] })
  })

  test('accepts only fast-forwards without force, and reports refused refs', async () => {
    await using there = await elsewhere()
    const foreign = await commitFiles(there.repository, { b: 'theirs' }, { branch: branch('main') })
    await push(there, [{ ref: tag('v1'), oid: first }])
    const { rejected } = await push(there, [
      { ref: branch('main'), oid: second },
      { ref: tag('v1'), oid: second },
      { ref: branch('fine'), oid: second },
    ])
    expect(rejected.map(({ ref, kind }) => [ref, kind])).toEqual([
      ['refs/heads/main', 'diverged'],
      ['refs/tags/v1', 'diverged'],
    ])
    expect(await refsOf(there.repository)).toEqual({
      'refs/heads/fine': second,
      'refs/heads/main': foreign,
      'refs/tags/v1': first,
    })
  })

  test('forces a ref only from its expected id', async () => {
    await using there = await elsewhere()
    const foreign = await commitFiles(there.repository, { b: 'theirs' }, { branch: branch('main') })
    const stale = await push(there, [{ ref: branch('main'), oid: second, expected: first }])
    expect(stale.rejected).toEqual([{ ref: 'refs/heads/main', kind: 'diverged', reason: 'stale info' }])
    const forced = await push(there, [{ ref: branch('main'), oid: second, expected: foreign }])
    expect(forced.rejected).toEqual([])
    expect(await refsOf(there.repository)).toEqual({ 'refs/heads/main': second })
  })

  test('reports refusals and messages of the remote', async () => {
    await using there = await elsewhere({ preReceive: async () => ({ accept: false, messages: ['Not on a Friday.'] }) })
    const outcome = await push(there, [{ ref: branch('main'), oid: first }])
    expect(outcome.rejected).toEqual([{ ref: 'refs/heads/main', kind: 'refused', reason: 'pre-receive hook declined' }])
    expect(outcome.messages).toContain('Not on a Friday.')
  })

  test('pushes many refs in portions', async () => {
    await using there = await elsewhere()
    const refs = Array.from({ length: 501 }, (_, index) => ({ ref: branch(`b${index}`), oid: first }))
    expect((await push(there, refs)).rejected).toEqual([])
    expect(Object.keys(await refsOf(there.repository))).toHaveLength(501)
  })

  test.each(['/etc', 'file:///etc', 'ext::sh -c id', 'ssh://x/y', 'git@x:y', '--receive-pack=id', 'http://-x/'])(
    'to %j is refused before a command runs',
    async (url) => {
      const refs = [{ ref: branch('main'), oid: first }]
      await expect(source.pushTo(url, refs, options)).rejects.toMatchObject({ code: 'invalid_input' })
      await expect(source.remoteRefs(url, options)).rejects.toMatchObject({ code: 'invalid_input' })
      await expect(source.fetchObjectsFromRemote(url, [first], options)).rejects.toMatchObject({
        code: 'invalid_input',
      })
    },
  )
})

describe('reading a remote', () => {
  test('returns its HEAD', async () => {
    await using there = await elsewhere()
    await push(there, [{ ref: branch('trunk'), oid: first }])
    await there.repository.setHead(branch('trunk'))
    expect(await source.remoteHead(there.url, options)).toBe('refs/heads/trunk')
  })

  test('returns nothing for an empty repository', async () => {
    await using there = await elsewhere()
    expect(await source.remoteRefs(there.url, options)).toEqual(new Map())
    expect(await source.remoteHead(there.url, options)).toBeNull()
  })

  test('fetches objects without a ref', async () => {
    await using there = await serve(source, openGate())
    const copy = await own.newRepository()
    await copy.fetchObjectsFromRemote(there.url, [second], options)
    expect((await copy.refs(1)).branches).toEqual([])
    expect([...(await copy.commits([first, second])).keys()]).toEqual([first, second])
    const unknown = 'a'.repeat(40) as Oid
    await expect(copy.fetchObjectsFromRemote(there.url, [unknown], options)).rejects.toMatchObject({
      code: 'command_failed',
    })
  })
})

describe('a hostile server', () => {
  async function answering(status: number, headers: Record<string, string>) {
    const seen: (string | undefined)[] = []
    const web = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(status, headers).end()
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/x.git`
    return { url, seen, [Symbol.asyncDispose]: async () => void web.close() }
  }

  test('cannot redirect', async () => {
    await using there = await elsewhere()
    await using evil = await answering(302, { location: `${there.url}/info/refs?service=git-receive-pack` })
    await expect(push(evil, [{ ref: branch('main'), oid: first }])).rejects.toMatchObject({ code: 'command_failed' })
    expect(await refsOf(there.repository)).toEqual({})
  })

  test('gets the password of the address, which is in no argument', async () => {
    await using evil = await answering(401, { 'www-authenticate': 'Basic realm="x"' })
    const url = evil.url.replace('http://', 'http://ada:p%40ss@')
    const error = await source.pushTo(url, [{ ref: branch('main'), oid: first }], options).catch((cause) => cause)
    expect(evil.seen.at(-1)).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`)
    expect(JSON.stringify([error.message, error.stderr])).not.toMatch(/p@ss|p%40ss|ada/)
  })
})
