/** `fennec demo`, and `fennec import` from the server that it has filled into an empty one: the world is made once for both. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Client, clientOf, startTestServer, type TestServer, temporaryDirectory } from '../src/testing/index.ts'
import { environmentOf, startVictim, type Victim } from './campaign/process.ts'
import { worldOf } from './import-comparison.ts'
import { addExtras, largeFile, largeFileOid, picture } from './import-source.ts'
import { program } from './program.ts'

// The demo is made, and each run of the command is a process of its own.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 480_000 })

type Source = Victim & { root: Client; rootToken: string }
/** What a command has printed, and how it ended. */
type Ended = { code: number; stdout: string; stderr: string }

let source: Source
/** The first run of `fennec demo`, and the next one. */
let demos: Ended[]
let target: TestServer
let proxy: Server
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
/** Requests that write, as the target has received them. */
let writes: string[] = []
/** Ends the command at its write of this number: before the target receives it, or before the command receives the answer. */
let fault: { write: number; isBefore: boolean; kill: () => void } | null = null

/** Passes requests on to the target. */
function startProxy(): Promise<Server> {
  const server = createServer((incoming, answer) => {
    const { method = '', url = '' } = incoming
    const isWrite = !['GET', 'HEAD'].includes(method) && !url.endsWith('/git-upload-pack')
    if (isWrite) writes.push(`${method} ${url}`)
    const ends = isWrite && writes.length === fault?.write ? fault : null
    if (ends?.isBefore) return ends.kill()
    const { headers } = incoming
    const onward = request(target.url, { method, path: url, headers }, (response) => {
      if (ends) return void response.resume().on('end', ends.kill)
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

const rootToken = 'a-token-of-my-own-choice'
const installation = () => ({
  data: join(folder.path, 'source'),
  token: rootToken,
  settings: { FENNEC_ROOT_PASSWORD: 'a password of mine' },
})

async function runDemo(...parameters: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, 'demo', ...parameters], { env: environmentOf(installation()) })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

beforeAll(async () => {
  folder = await temporaryDirectory()
  demos = [await runDemo('--fill-only', '--seed', '3'), await runDemo()]
  const served = await startVictim(installation())
  source = { ...served, root: clientOf(served.url, rootToken), rootToken }
  target = await startTestServer({ isOwn: true })
  proxy = await startProxy()
  await addExtras(source)
  // Lena has no account in the new server.
  for (const { username, name, email } of (await source.root.get('/users?per_page=100')).body) {
    if (['root', 'lena'].includes(username)) continue
    const account = { username, name, email, force_random_password: true, skip_confirmation: true }
    expect((await target.root.post('/users', account)).status).toBe(201)
  }
  await writeFile(join(folder.path, 'source-token'), source.rootToken)
  await writeFile(join(folder.path, 'target-token'), target.rootToken)
})
afterAll(async () => {
  proxy?.closeAllConnections()
  proxy?.close()
  await source?.stop()
  await target?.stop()
  await folder?.[Symbol.asyncDispose]()
})

const reportFile = () => join(folder.path, 'report.json')

/** Runs the command. @param kills where it is killed */
async function runImport(kills?: { write: number; isBefore: boolean }) {
  const { port } = proxy.address() as AddressInfo
  const parameters = [
    ...['import', source.url, '--token-file', join(folder.path, 'source-token')],
    ...['--url', `http://127.0.0.1:${port}`, '--target-token-file', join(folder.path, 'target-token')],
    ...['--state', join(folder.path, 'state.sqlite'), '--report', reportFile()],
  ]
  const env = { PATH: process.env.PATH, FENNEC_DATA: join(folder.path, 'data') }
  const child = spawn(process.execPath, [program, ...parameters], { env })
  writes = []
  fault = kills ? { ...kills, kill: () => child.kill('SIGKILL') } : null
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code, signal] = await once(child, 'close')
  return { code, signal, output, writes: writes.filter((write) => write.includes('/api/v4/')) }
}

type World = Awaited<ReturnType<typeof worldOf>>

/** The world of the source as it can be in the target: root has written what Lena wrote, and she is no member. */
function expected(world: World): World {
  const text = JSON.stringify(world)
    .replaceAll('"by":"lena"', '"by":"root"')
    .replaceAll(/"(\{\\"username\\":\\"lena\\"[^}]*\})",?/g, '')
    .replaceAll(',]', ']')
  return JSON.parse(text)
}

test('the demo fills a server once, says how one signs in, and refuses one that has users', async () => {
  const [first, second] = demos
  expect(first).toMatchObject({ code: 0 })
  expect(first?.stderr).toMatch(/^Making the demo\n/)
  expect(first?.stdout).toContain('Sign in with the password harbour-lights-7 as')
  expect(first?.stdout).toMatch(/^ {4}mara +Mara Lindqvist, Founder$/m)
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second?.stderr).toBe(
    `fennec: the demo fills only a server without users, and this one has some; after a demo that was interrupted, empty ${installation().data} first\n`,
  )
  const { body } = await source.root.get('/projects?per_page=100')
  expect(body.map(({ path }: { path: string }) => path)).toContain('timetable')
})

test('brings everything once, though it is killed again and again', async () => {
  const places = [2, 31, 20, 47, 33, 62, 44].map((write, index) => ({ write, isBefore: index % 2 === 0 }))
  for (const place of places) expect(await runImport(place)).toMatchObject({ signal: 'SIGKILL' })
  const last = await runImport()
  expect([last.code, last.output]).toEqual([0, expect.stringContaining('Brought:')])
  expect(await worldOf(target.root)).toEqual(expected(await worldOf(source.root)))
  const { description } = (await target.root.get('/projects/slipway%2Fextras/issues/3')).body
  const [, attached] = /\((\/uploads\/[^)]+)\)/.exec(description) ?? []
  expect((await target.root.get(`/projects/slipway%2Fextras${attached}`)).body).toBe(picture)
  const oid = `slipway/extras.git/gitlab-lfs/objects/${largeFileOid}`
  const basic = Buffer.from(`root:${target.rootToken}`).toString('base64')
  const stored = await target.root.open(`root:/${oid}`, { headers: { Authorization: `Basic ${basic}` } })
  expect(Buffer.from(await stored.arrayBuffer())).toEqual(largeFile)
})

test('says what was not brought, and why', async () => {
  const { brought, problems, source: url } = JSON.parse(await readFile(reportFile(), 'utf8'))
  expect(url).toBe(source.url)
  expect(brought).toMatchObject({ groups: 4, projects: 11, 'merge requests': 23, images: 5, 'large files': 1 })
  expect(problems).toContainEqual({
    ...{ place: 'slipway/extras', what: 'variable SECRET' },
    reason: 'its value is hidden: the source does not show it',
  })
  expect(problems.map(({ what }: { what: string }) => what)).toEqual(
    expect.arrayContaining(['member lena', 'merge request !4', 'pipeline schedule Test against the zones of today']),
  )
  const { body } = await target.root.get('/groups/slipway/issues?scope=all&per_page=100&author_username=root')
  const credits = body.map(({ description }: { description: string }) => description.split('\n')[0])
  expect(credits).toContainEqual(
    expect.stringMatching(/^\*Imported from http\S+, written by `@lena` at 2026-[^*]+\.\*$/),
  )
})

test('writes nothing again, and then what is new', async () => {
  expect(await runImport()).toMatchObject({ code: 0, writes: [] })
  const base = '/projects/slipway%2Fhandbook'
  await source.root.post(`${base}/issues`, { title: 'new' }, { headers: { Sudo: 'owen' } })
  await source.root.post(`${base}/issues/2/notes`, { body: 'a new comment' }, { headers: { Sudo: 'owen' } })
  const actions = [{ action: 'create', file_path: 'new.md', content: 'new' }]
  const commit = { branch: 'news', start_branch: 'main', commit_message: 'new', actions }
  expect((await source.root.post(`${base}/repository/commits`, commit)).status).toBe(201)
  expect(await runImport()).toMatchObject({ code: 0 })
  expect(await worldOf(target.root)).toEqual(expected(await worldOf(source.root)))
})
