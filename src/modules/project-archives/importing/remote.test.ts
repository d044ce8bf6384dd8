import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfSigned, selfSignedLocal } from '../../../infra/net/fixtures.ts'
import {
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { exportedArchive } from '../testing.ts'
import { objectService } from './sources.ts'

let server: TestServer
let people: People
let archive: Buffer
let secure: Server
let plain: Server
/** Whose certificate the process trusts. */
let trusted: Server
const trustedBefore = getCACertificates('default')
/** The paths that were asked for, in their order. */
let asked: string[] = []

/** Answers by the path of the request, whatever the bucket. */
const answer: RequestListener = (request, response) => {
  const path = new URL(request.url ?? '/', 'http://x').pathname.split('/').at(-1) ?? ''
  asked.push(path)
  const times = asked.filter((one) => one === path).length
  const send = (content: Buffer, type = 'application/gzip') =>
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': content.length }).end(content)
  if (path === 'archive.tar.gz') send(archive)
  else if (path === 'text') send(archive, 'text/html; charset=utf-8')
  else if (path === 'empty') send(Buffer.alloc(0))
  else if (path === 'huge')
    response.writeHead(200, { 'Content-Type': 'application/gzip', 'Content-Length': 11 * 1024 ** 3 })
  else if (path === 'unmeasured') response.writeHead(200, { 'Content-Type': 'application/gzip' }).end(archive)
  else if (path === 'gone' && times === 1) send(archive)
  else if (path === 'broken' || (path === 'broken-once' && times === 2)) {
    response.writeHead(200, { 'Content-Type': 'application/gzip', 'Content-Length': archive.length })
    response.write(archive.subarray(0, archive.length / 2), () => response.destroy())
  } else if (path === 'broken-once') send(archive)
  else if (path === 'moved') response.writeHead(302, { Location: '/archive.tar.gz' }).end()
  else response.writeHead(404).end()
  if (path === 'huge') response.flushHeaders()
}

const listen = async <S extends Server>(listening: S): Promise<S> => {
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return listening
}
const portOf = (listening: Server) => (listening.address() as AddressInfo).port

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  await server.root.put('/application/settings', {
    ...{ project_export_limit: 0, project_download_export_limit: 0, project_import_limit: 0 },
    allow_local_requests_from_web_hooks_and_services: true,
  })
  const { project } = await projectWithTwoCommits(server, { people, path: 'source' })
  archive = await exportedArchive(server, people.maintainer, `/projects/${project.id}`)
  secure = await listen(createServer(selfSigned, answer) as unknown as Server)
  plain = await listen(createPlainServer(answer))
  trusted = await listen(createServer(selfSignedLocal, answer) as unknown as Server)
  setDefaultCACertificates([...trustedBefore, selfSignedLocal.cert])
  objectService(server.app.platform).endpoint = `http://127.0.0.1:${portOf(plain)}`
})
afterAll(async () => {
  objectService(server.app.platform).endpoint = undefined
  setDefaultCACertificates(trustedBefore)
  for (const one of [secure, plain, trusted]) {
    one.closeAllConnections()
    one.close()
  }
  await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
  await server.stop()
})

const drain = () => server.app.platform.jobs.drain()

describe('an import from an address', () => {
  const ask = (url: unknown, path = 'remote') => people.owner.post('/projects/remote-import', { url, path })
  const messageOf = async (url: unknown) => {
    const { status, body } = await ask(url)
    return [status, body.message]
  }

  test.each([
    ['ftp://example.com/a.tar.gz', 'Only allowed schemes are https'],
    ['http://example.com/a.tar.gz', 'Only allowed schemes are https'],
    ['nowhere', 'URI is invalid'],
    ['https://', 'URI is invalid'],
  ])('refuses %s', async (url, reason) => {
    expect(await messageOf(url)).toEqual([400, `File url is blocked: ${reason}`])
  })

  test('refuses private addresses', async () => {
    await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
    expect(await messageOf('https://10.0.0.1/a')).toEqual([
      400,
      'File url is blocked: Requests to the local network are not allowed',
    ])
    await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  })

  test('refuses what does not answer, and whose certificate is not trusted', async () => {
    const [status, message] = await messageOf('https://127.0.0.1:1/a.tar.gz')
    expect([status, String(message)]).toEqual([400, expect.stringMatching(/^Failed to open the file: /)])
    const [, other] = await messageOf(`https://127.0.0.1:${portOf(secure)}/archive.tar.gz`)
    expect(String(other)).toMatch(/^Failed to open the file: /)
  })

  const atTrusted = (path: string) => `https://127.0.0.1:${portOf(trusted)}/${path}`
  const stateOf = async (id: number) => (await people.owner.get(`/projects/${id}/import`)).body

  /** Imports what is at a path, and has every run of the job follow at once. */
  async function importedFrom(path: string) {
    asked = []
    const { status, body } = await ask(atTrusted(path), `from-${path.split(/[.?]/, 1)[0]}`)
    expect([status, body.import_status]).toEqual([201, 'scheduled'])
    const { database } = server.app.platform
    const jobs = await database.read.selectFrom('jobs').selectAll().execute()
    expect(JSON.stringify(jobs)).not.toContain('a-secret')
    const run_at = '2000-01-01T00:00:00.000Z'
    for (let run = 1; run <= 4; run += 1) {
      await drain()
      await database.write((tx) =>
        tx.updateTable('jobs').set({ run_at }).where('kind', '=', 'project_archives.import').execute(),
      )
    }
    return stateOf(body.id)
  }

  test('makes a project of the archive, and stores no secret of its address in the clear', async () => {
    const state = await importedFrom('archive.tar.gz?key=a-secret')
    expect(state).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
    expect((await people.owner.get(`/projects/${state.id}/repository/branches`)).body.length).toBeGreaterThan(0)
  })

  test('follows no redirect', async () => {
    asked = []
    expect(await messageOf(atTrusted('moved'))).toEqual([
      400,
      'Failed to open the file: the server has answered with 302',
    ])
    expect(asked).toEqual(['moved'])
  })

  test.each([
    [
      'text',
      "Content type 'text/html' not allowed. (Allowed: application/gzip, application/x-tar, application/x-gzip)",
    ],
    ['empty', 'Content length is too small (should be at least 1 Byte)'],
    ['unmeasured', 'Content length is too small (should be at least 1 Byte)'],
    ['huge', 'Content length is too big (should be at most 10 GB)'],
    ['nothing', 'Failed to open the file: the server has answered with 404'],
  ])('refuses what is no archive: %s', async (path, message) => {
    expect(await messageOf(atTrusted(path))).toEqual([400, message])
    expect((await people.owner.get('/projects/owner%2Fremote')).status).toBe(404)
  })

  test('is repeated when the transfer breaks off', async () => {
    expect(await importedFrom('broken-once')).toMatchObject({ import_status: 'finished', import_error: null })
    expect(asked).toHaveLength(3)
  })

  test('fails when the transfer breaks off each time', async () => {
    expect(await importedFrom('broken')).toMatchObject({ import_status: 'failed', import_error: 'The import failed' })
    expect(asked).toHaveLength(5)
  })

  test('fails when the file is gone before it is fetched', async () => {
    const state = await importedFrom('gone')
    expect(state).toMatchObject({ import_status: 'failed', import_error: 'The archive could not be fetched' })
  })

  test('needs an address and a path', async () => {
    const { status, body } = await people.owner.post('/projects/remote-import', {})
    expect([status, body.error]).toEqual([400, 'url is missing, path is missing'])
  })

  test('does not exist while its feature is off', async () => {
    await server.root.post('/features/import_project_from_remote_file', { value: false })
    expect(await messageOf('https://example.com/a.tar.gz')).toEqual([404, '404 Not Found'])
    await server.root.delete('/features/import_project_from_remote_file')
  })
})

describe('an import from a bucket', () => {
  const keys = { access_key_id: 'key-id', secret_access_key: 'a-secret-key' }
  const given = { region: 'eu-central-1', bucket_name: 'archives', ...keys }
  const ask = (file_key: string, more: object = {}) =>
    people.owner.post('/projects/remote-import-s3', { ...given, file_key, path: 'from-s3', ...more })
  const messageOf = async (file_key: string, more: object = {}) => {
    const { status, body } = await ask(file_key, more)
    return [status, body.message]
  }

  test('makes a project of the archive, and stores no key in the clear', async () => {
    const { status, body } = await ask('archive.tar.gz')
    expect([status, body.import_status]).toEqual([201, 'scheduled'])
    const jobs = await server.app.platform.database.read.selectFrom('jobs').selectAll().execute()
    expect(JSON.stringify(jobs)).not.toContain('a-secret-key')
    await drain()
    expect((await people.owner.get(`/projects/${body.id}/import`)).body.import_status).toBe('finished')
    expect((await people.owner.get(`/projects/${body.id}/repository/branches`)).body.length).toBeGreaterThan(0)
  })

  test('refuses an object that is not there, or cannot be read', async () => {
    expect(await messageOf('nothing')).toEqual([400, "File not found 'nothing' in 'archives'"])
    expect(await messageOf('moved')).toEqual([
      400,
      "Failed to open 'moved' in 'archives': the service has answered with 302",
    ])
    expect(await messageOf('empty')).toEqual([400, 'Content length is too small (should be at least 1 Byte)'])
    expect(await messageOf('huge')).toEqual([400, 'Content length is too big (should be at most 10 GB)'])
    for (const [more, reason] of [
      [{ region: 'x.example.com/' }, 'no such region'],
      [{ bucket_name: '../b' }, 'no such bucket'],
    ] as const) {
      const [status, message] = await messageOf('archive.tar.gz', more)
      expect([status, String(message)]).toEqual([400, expect.stringContaining(reason)])
    }
  })

  test('is refused without parameters, and does not exist while its feature is off', async () => {
    const { status, body } = await people.owner.post('/projects/remote-import-s3', {})
    expect([status, body.error]).toEqual([
      400,
      'region is missing, bucket_name is missing, file_key is missing, access_key_id is missing, secret_access_key is missing, path is missing',
    ])
    await server.root.post('/features/import_project_from_remote_file_s3', { value: false })
    expect(await messageOf('archive.tar.gz')).toEqual([404, '404 Not Found'])
    await server.root.delete('/features/import_project_from_remote_file_s3')
  })
})
