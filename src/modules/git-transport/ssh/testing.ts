/** A server with users and keys, for the tests of git over SSH. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { diskPath } from '../../../infra/git/index.ts'
import { repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  makeHistory,
  type Person,
  type SshKeyPair,
  ssh,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

export let server: TestServer
export let clock: ManualClock
export let folder: { path: string } & AsyncDisposable
export let owner: Person
/** A key of the owner. */
export let ownKey: SshKeyPair

/** Starts a server with SSH before the tests of a file and stops it after them. */
export function serveForTests(): void {
  beforeAll(async () => {
    clock = manualClock({ start: '2026-03-01T10:00:00Z' })
    server = await startTestServer({ sshPort: 0, clock })
    folder = await temporaryDirectory()
    owner = await server.user('owner')
    ownKey = await keyOf(owner)
  })
  afterAll(async () => {
    await server.stop()
    await folder[Symbol.asyncDispose]()
  })
}

let made = 0

/** Creates a key of a user. */
export async function keyOf(person: Person, options: object = {}): Promise<SshKeyPair & { id: number }> {
  made += 1
  const pair = await sshKeyPair(folder.path, `key-${made}`)
  const { status, body } = await person.post('/user/keys', { title: 'key', key: pair.publicKey, ...options })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { ...pair, id: body.id }
}

export async function member(
  project: ProjectRow,
  name: string,
  level: number,
): Promise<SshKeyPair & { person: Person }> {
  const person = await server.user(name)
  await server.make.member({ project }, person, level)
  return { ...(await keyOf(person)), person }
}

export async function repositoryOf(project: ProjectRow) {
  const { database, git: storage } = server.app.platform
  const row = await repositoryOfProject(database.read, project.id)
  const path = row && diskPath(row.disk_path)
  if (!row || !path) throw new Error('no repository')
  return { row, repository: storage.repository({ storage: row.storage, diskPath: path }) }
}

/** Creates a project of the owner with three commits on `main`, pushed over SSH. */
export async function pushed(
  path: string,
  visibility: 'private' | 'internal' | 'public' = 'private',
): Promise<ProjectRow> {
  const project = await server.make.project(path, owner, { visibility })
  await using work = await temporaryDirectory()
  await makeHistory(work.path, ['one', 'two', 'three'])
  expect(await push(ownKey, work.path, `owner/${path}`)).toMatchObject({ code: 0 })
  return project
}

export const push = (key: SshKeyPair, work: string, path: string, ...refspecs: string[]) =>
  sshGit(server, key, work, 'push', sshUrl(server, path), ...(refspecs.length > 0 ? refspecs : ['main']))

/** Lists the refs of a repository with a key. */
export const reads = (key: SshKeyPair, path: string) =>
  sshGit(server, key, folder.path, 'ls-remote', sshUrl(server, path))

/** A persistent connection of the OpenSSH client for several commands. */
export async function lasting(key: SshKeyPair): Promise<{ run(command: string): ReturnType<typeof ssh>; end(): void }> {
  const control = `${folder.path}/control-${randomBytes(4).toString('hex')}`
  const { port = 0, host = '' } = server.app.ssh ?? {}
  const common = ['-F', '/dev/null', '-o', `ControlPath=${control}`, '-o', 'LogLevel=ERROR']
  const options = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'IdentitiesOnly=yes']
  const master: ChildProcess = spawn('ssh', [
    ...common,
    ...options,
    '-M',
    '-N',
    '-i',
    key.path,
    '-p',
    String(port),
    `git@${host}`,
  ])
  await expect.poll(async () => (await ssh(server, key, [], { extra: [...common, '-O', 'check'] })).code).toBe(0)
  return {
    run: (command) => ssh(server, key, [command], { extra: ['-o', `ControlPath=${control}`] }),
    end: () => master.kill(),
  }
}

const line = '='.repeat(72)
/** The output of git for a refusal. */
export const framed = (text: string) =>
  `remote: \nremote: ${line}\nremote: \nremote: ERROR: ${text}\nremote: \nremote: ${line}\nremote: \n`

export const notFound = "The project you were looking for could not be found or you don't have permission to view it."
export const notAllowed = "The command you're trying to execute is not allowed."
export const denied = { code: 255, stdout: '', stderr: expect.stringContaining('Permission denied (publickey).') }

export const refusedWith = (text: string) => ({
  // A signal ends a client (-1) that writes its request when the server has gone.
  code: expect.toBeOneOf([128, -1]),
  stderr: expect.stringContaining(framed(text)),
})
