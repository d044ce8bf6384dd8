import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startReceiver, startTestServer, type TestServer, temporaryDirectory } from '../testing/index.ts'
import { NotRegistered, RunnerClient, register, ServerUnreachable } from './index.ts'
import { closedUrl } from './testing.ts'

let server: TestServer
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let file: string
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  folder = await temporaryDirectory()
  file = join(folder.path, 'data', 'runner.json')
})
afterEach(() => folder[Symbol.asyncDispose]())

const registered = (given: { token?: string; administratorToken?: string; tags?: string[] } = {}, url = server.url) =>
  register(new RunnerClient(url), {
    ...{ file, token: undefined, description: 'a machine', tags: [] },
    ...{ administratorToken: server.rootToken, administratorTokenFile: 'data/root-token' },
    ...given,
  })

describe('a runner registers itself', () => {
  test('once: the next start is the same runner and the same program', async () => {
    const first = await registered({ tags: ['linux', 'small'] })
    expect(first).toMatchObject({ isNew: true, systemId: expect.stringMatching(/^s_[0-9a-f]{12}$/) })
    expect((await server.root.get(`/runners/${first.id}`)).body).toMatchObject({
      ...{ runner_type: 'instance_type', description: 'a machine' },
      ...{ tag_list: ['linux', 'small'], run_untagged: true },
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await registered({ administratorToken: '' })).toEqual({ ...first, isNew: false })
    expect(await readFile(file, 'utf8')).not.toContain(server.rootToken)
  })

  test('on each server by itself', async () => {
    const first = await registered()
    const other = await registered({}, server.url.replace('127.0.0.1', 'localhost'))
    expect([other.isNew, other.systemId]).toEqual([true, first.systemId])
    expect(other.id).not.toBe(first.id)
    expect((await registered()).id).toBe(first.id)
  })

  test('with a given token, which the next start uses', async () => {
    const { id, token } = (await server.root.post('/user/runners', { runner_type: 'instance_type' })).body
    expect(await registered({ token, administratorToken: '' })).toMatchObject({ id, token, isNew: false })
    expect(await registered({ administratorToken: '' })).toMatchObject({ id, token, isNew: false })
  })
})

describe('a runner is not registered', () => {
  const refused = async (given: Parameters<typeof registered>[0], url?: string) => {
    const error = await registered(given, url).catch((problem) => problem)
    expect(error).toBeInstanceOf(NotRegistered)
    return error.message
  }

  test('without a token', async () => {
    expect(await refused({ administratorToken: '' })).toBe(
      'data/root-token has no token of an administrator: start the server first, or give the token of a runner, --token glrt-…',
    )
  })

  test('by the token of another user, or a wrong one', async () => {
    const plain = await server.make.token(await server.user('plain'), ['api'])
    expect(await refused({ administratorToken: plain })).toBe(
      'the token in data/root-token is not that of an administrator',
    )
    expect(await refused({ administratorToken: 'glpat-wrong' })).toBe(
      `${server.url} refuses the token in data/root-token`,
    )
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  test('by a token of a runner that is unknown, or was deleted', async () => {
    expect(await refused({ token: 'glrt-unknown' })).toBe(`${server.url} refuses the token of the runner in --token`)
    await expect(stat(file)).rejects.toThrow('ENOENT')
    const { id } = await registered()
    await server.root.delete(`/runners/${id}`)
    expect(await refused({})).toBe(
      `${server.url} refuses the token of the runner in ${file}; delete the file to register a new one`,
    )
  })

  test('where the file is damaged', async () => {
    await registered()
    for (const text of ['{', '{}', 'null', '{"systemId": 1, "runners": {}}']) {
      await writeFile(file, text)
      expect(await refused({})).toBe(`${file} is damaged: delete it to register a new runner`)
    }
  })

  test('where no server answers, or another one', async () => {
    const url = await closedUrl()
    await expect(registered({}, url)).rejects.toThrow(ServerUnreachable)
    await expect(registered({}, url)).rejects.toThrow(`no server answers at ${url} (ECONNREFUSED)`)
    await using other = await startReceiver()
    expect(await refused({}, other.url)).toContain('does not create a runner')
  })
})
