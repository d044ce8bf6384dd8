import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Git, type GitLimits, openGit, type Repository } from '../src/infra/git/index.ts'
import { until } from '../src/infra/git/testing.ts'
import { makeFreshDatabase } from '../src/testing/database.ts'
import {
  clientOf,
  imported,
  importStream,
  type Person,
  runProgram,
  type SshKeyPair,
  sshKeyPair,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../src/testing/index.ts'
import { program, programEnvironment } from './program.ts'
import {
  clients,
  type EndingClient,
  line,
  requestOf,
  type Service,
  type Target,
  type Way,
} from './transfer-ends-testing.ts'

/** Longer than any test. */
const never = 3_600_000
/** A caller has one slot and no queue: a request is refused when a slot was not given back. */
const oneSlot = { concurrentTransfers: 2, transfersPerCaller: 1, queueLengthPerCaller: 0 }

let server: TestServer
let folder: { path: string } & AsyncDisposable
let owner: Person
let key: SshKeyPair
let repository: Repository
let tip: string
/** The git of the server in most cases: no limit of it ends a transfer. */
let patient: Limited

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  folder = await temporaryDirectory()
  owner = await server.user('owner')
  key = await sshKeyPair(folder.path, 'key')
  expect((await owner.post('/user/keys', { title: 'key', key: key.publicKey })).status).toBe(201)
  const content = randomBytes(12 * 1024 * 1024)
  const { id } = await imported(server, owner, 'p', importStream([{ message: 'x', files: [['100644', 'x', content]] }]))
  tip = (await owner.get(`/projects/${id}/repository/branches/main`)).body.commit.id
  patient = await limited({ clientIdleMs: never, pushInputIdleMs: never })
})
afterAll(async () => {
  await patient.git.close()
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

type Limited = { git: Git /** Of the process that starts git. */; spawnerId: number }

async function processes(): Promise<{ id: number; group: number; command: string }[]> {
  const parameters = ['-Ao', 'pid=,pgid=,args=']
  const { stdout } = await runProgram({ binary: 'ps', parameters, env: { PATH: process.env.PATH } })
  return [...stdout.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)].map(([, id, group, command = '']) => {
    return { id: Number(id), group: Number(group), command }
  })
}

/** Opens git with the limits of a test on the repositories of the server. */
async function limited(limits: Partial<GitLimits>): Promise<Limited> {
  const { storages } = server.app.platform.config
  const git = await openGit({ storages, limits: { ...oneSlot, ...limits }, runtimeDirectory: folder.path })
  const earlier = patient?.spawnerId
  const isSpawner = ({ id, command }: { id: number; command: string }) =>
    command.includes('spawner-process') && command.includes(folder.path) && id !== earlier
  let spawnerId = 0
  await until(async () => {
    spawnerId = (await processes()).find(isSpawner)?.id ?? 0
    return spawnerId !== 0
  })
  return { git, spawnerId }
}

/** The transfers that the server has begun for the case, and what their gates wait for. */
type Transfer = {
  signal: AbortSignal | undefined
  isEnded: boolean /** How many commands were started before. */
  commands: number
}
let transfers: Transfer[] = []
let gate: { isAsked: boolean; verdict: PromiseWithResolvers<void> }
beforeEach(() => {
  transfers = []
  gate = { isAsked: false, verdict: Promise.withResolvers() }
})

/** Replaces the git of the server, and records its transfers. The gate of each push waits. */
function use({ git }: Limited): void {
  const recorded = async (signal: AbortSignal | undefined, run: () => Promise<unknown>) => {
    const transfer = { signal, isEnded: false, commands: git.startedCommands() }
    transfers.push(transfer)
    return run().finally(() => {
      transfer.isEnded = true
    })
  }
  server.app.platform.git.repository = (location) => {
    repository = git.repository(location)
    const { uploadPack, receivePack } = repository
    return {
      ...repository,
      uploadPack: ((options, ...streams) =>
        recorded(options.signal, () => uploadPack(options, ...streams))) as typeof uploadPack,
      receivePack: ((options, ...streams) => {
        const preReceive: typeof options.gate.preReceive = async (...given) => {
          gate.isAsked = true
          await gate.verdict.promise
          return options.gate.preReceive(...given)
        }
        const gated = { ...options, gate: { ...options.gate, preReceive } }
        return recorded(options.signal, () => receivePack(gated, ...streams))
      }) as typeof receivePack,
    }
  }
}

const objects = () => readdir(join(repository.directory, 'objects'))
const quarantines = async () => (await objects()).filter((name) => /incoming|tmp_objdir/.test(name))
const transferIsThere = () => until(() => transfers.length > 0)
const groupsOfGit = async () =>
  (await processes()).filter(({ command }) => command.includes(repository.directory)).map(({ group }) => group)
const gitRuns = () => until(async () => (await groupsOfGit()).length > 0)

type Kind = { service: Service; transport: 'HTTP' | 'SSH' }
/** Brings a transfer to a moment. @returns what is to be done after the client has ended */
type Reach = (client: EndingClient, kind: Kind, request: { whole: Buffer; beginning: Buffer }) => Promise<void>

const moments = {
  async 'before its first byte'(_client, { transport }) {
    await transferIsThere()
    // Over HTTP, git is started when the request has begun.
    if (transport === 'SSH') await gitRuns()
  },
  async 'in the middle of its request'(client, { service }, { beginning }) {
    await client.send(beginning)
    await transferIsThere()
    await gitRuns()
    if (service === 'git-receive-pack') await until(async () => (await quarantines()).length > 0)
  },
  async 'while the gate decides'(client, _kind, { whole }) {
    await client.send(whole, true)
    await until(() => gate.isAsked)
  },
  async 'in the middle of its answer'(client, _kind, { whole }) {
    await client.send(whole, true)
    await client.receive(200_000)
  },
} satisfies Record<string, Reach>

const momentsOf: Record<Service, (keyof typeof moments)[]> = {
  'git-receive-pack': ['before its first byte', 'in the middle of its request', 'while the gate decides'],
  'git-upload-pack': ['before its first byte', 'in the middle of its request', 'in the middle of its answer'],
}

type ClientName = keyof typeof clients
const transportOf = (name: ClientName) => (name.includes('SSH') ? 'SSH' : 'HTTP')
const services = ['git-receive-pack', 'git-upload-pack'] as const satisfies Service[]
const names = Object.keys(clients) as ClientName[]

const endsOnlyInput = (name: ClientName, way: Way) =>
  way === 'ends its input' || (way === 'finishes' && transportOf(name) === 'HTTP')

const cases = services.flatMap((service) =>
  names.flatMap((name) =>
    (clients[name].ways as readonly Way[]).flatMap((way) =>
      momentsOf[service]
        // A request whose input has ended is complete: the client waits for its answer.
        .filter((moment) => !endsOnlyInput(name, way) || !/gate|answer/.test(moment))
        .map((moment) => [service, name, way, moment] as const),
    ),
  ),
)

function targetOf(service: Service): Target {
  const ssh = server.app.ssh as Target['ssh']
  return { url: server.url, ssh, person: owner, key, path: 'owner/p', service }
}

/** Takes the slot that the ended transfer has held. */
async function fetchRefs(): Promise<number> {
  const basic = Buffer.from(`${owner.username}:${owner.token}`).toString('base64')
  const response = await fetch(`${server.url}/owner/p.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${basic}`,
      'Content-Type': 'application/x-git-upload-pack-request',
      'Git-Protocol': 'version=2',
    },
    body: `${line('command=ls-refs')}00010000`,
  })
  await response.arrayBuffer()
  return response.status
}

/** Waits until the transfer has ended, and checks that nothing of it is left. */
async function expectNothingLeft(groups: readonly number[]): Promise<void> {
  await until(() => transfers.every(({ isEnded }) => isEnded))
  expect(await quarantines()).toEqual([])
  expect(await readdir(join(repository.directory, 'fetches')).catch(() => [])).toEqual([])
  expect(await fetchRefs()).toBe(200)
  // A helper of git may end after it.
  await until(async () => {
    const left = await processes()
    return !left.some(({ group, command }) => groups.includes(group) || command.includes(repository.directory))
  })
  expect((await repository.refs(Math.random())).branches.map(({ name }) => name)).toEqual(['main'])
}

describe.each(cases)('%s %s: a client that %s', (service, name, way, moment) => {
  test(`${moment} leaves nothing`, async () => {
    use(patient)
    const client = await clients[name].open(targetOf(service))
    const transport = transportOf(name)
    await moments[moment](client, { service, transport }, requestOf(service, tip))
    const groups = await groupsOfGit()
    client.end(way)
    await expectNothingLeft(groups)
    gate.verdict.resolve()
    client.destroy()
  })
})

const early = services.flatMap((service) =>
  names.flatMap((name) => (clients[name].ways as readonly Way[]).map((way) => [service, name, way] as const)),
)

describe.each(early)('%s %s: a client that %s', (service, name, way) => {
  test('while git is being started leaves nothing', async () => {
    use(patient)
    process.kill(patient.spawnerId, 'SIGSTOP')
    const client = await clients[name].open(targetOf(service))
    try {
      // More than git is started for, and not so much that the server stops reading: it shall notice the end.
      await client.send(requestOf(service, tip).beginning.subarray(0, 80_000))
      await until(() => transfers.some(({ commands }) => patient.git.startedCommands() > commands))
      client.end(way)
      if (way !== 'ends its input') await until(() => transfers.every(({ signal }) => signal?.aborted === true))
    } finally {
      process.kill(patient.spawnerId, 'SIGCONT')
    }
    await expectNothingLeft([])
    client.destroy()
  })
})

const limits: [string, Partial<GitLimits>][] = [
  ['is idle', { clientIdleMs: 400, pushInputIdleMs: 400 }],
  ['reaches the time limit', { clientIdleMs: never, pushInputIdleMs: never, transferTimeoutMs: 400 }],
]
const limitCases = limits.flatMap(([what, limit]) =>
  services.flatMap((service) =>
    (['over HTTP', 'over SSH'] as const).flatMap((name) =>
      (['beginning', 'whole'] as const).map((part) => [service, name, what, part, limit] as const),
    ),
  ),
)

describe.each(limitCases)('%s %s: a client that %s', (service, name, what, part, limit) => {
  // While the gate decides, git does not wait for the client.
  const isIdlePush = what === 'is idle' && service === 'git-receive-pack' && part === 'whole'
  test.skipIf(isIdlePush)(`after the ${part} of its request leaves nothing`, async () => {
    const hasty = await limited(limit)
    use(hasty)
    const client = await clients[name].open(targetOf(service))
    void client.send(requestOf(service, tip)[part], part === 'whole')
    if (service === 'git-upload-pack' && part === 'whole') void client.receive(1).catch(() => {})
    await transferIsThere()
    await expectNothingLeft([])
    gate.verdict.resolve()
    client.destroy()
    await hasty.git.close()
  })
})

/** Starts a server of its own, as an operator does. */
async function serve(data: string, more: Record<string, string>) {
  const environment = { ...programEnvironment, FENNEC_DATA: data, FENNEC_LISTEN: '127.0.0.1:0', ...more }
  const child = spawn(process.execPath, [program], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] })
  let greeting = ''
  child.stdout.setEncoding('utf8')
  while (!greeting.includes('Reference:')) greeting += (await once(child.stdout, 'data'))[0]
  child.stdout.resume()
  return { child, url: /ready at (\S+)/.exec(greeting)?.[1] ?? '' }
}

test('a server whose clients have reset their pushes ends with 0 at SIGTERM, and leaves nothing', async () => {
  await using data = await temporaryDirectory()
  const database = await makeFreshDatabase()
  const token = 'a-token-of-my-own-choice'
  const { child, url } = await serve(data.path, { FENNEC_ROOT_TOKEN: token, FENNEC_DATABASE_URL: database.url })
  try {
    expect((await clientOf(url, token).post('/projects', { name: 'p' })).status).toBe(201)
    const target = { ...targetOf('git-receive-pack'), url, person: { username: 'root', token }, path: 'root/p' }
    const opened = await Promise.all(Array.from({ length: 4 }, () => clients['over HTTP'].open(target)))
    const { beginning } = requestOf('git-receive-pack', tip)
    for (const client of opened) await client.send(beginning)
    const mine = async () => (await processes()).filter(({ command }) => command.includes(data.path))
    const left = async () => (await readdir(data.path, { recursive: true })).filter((name) => /tmp_objdir/.test(name))
    await until(async () => (await left()).length >= opened.length)
    for (const client of opened) client.end('resets')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await mine()).toEqual([])
    expect(await left()).toEqual([])
  } finally {
    child.kill('SIGKILL')
    await database.remove()
  }
})
