import { createHash } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { type Client, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { formatSshKey } from '../keys/index.ts'

/** The line of an Ed25519 key that a seed determines. */
export function keyLine(seed: string, comment = ''): string {
  const type = 'ssh-ed25519'
  const number = createHash('sha256').update(seed).digest()
  const length = (bytes: number) => Buffer.from([0, 0, 0, bytes])
  const blob = Buffer.concat([length(type.length), Buffer.from(type), length(number.length), number])
  return formatSshKey({ type, blob, comment })
}

/** Adds the key of a seed to a project, and returns the response. */
export async function addDeployKey(client: Client, project: { id: number }, seed: string, more: object = {}) {
  const values = { title: seed, key: keyLine(seed, 'a comment'), ...more }
  const { status, body } = await client.post(`/projects/${project.id}/deploy_keys`, values)
  if (status !== 201) throw new Error(`the key of ${seed} was not added: ${JSON.stringify(body)}`)
  return body
}

/** Makes a public key. */
export async function makePublicKey(server: TestServer, seed: string) {
  const { status, body } = await server.root.post('/deploy_keys', { title: seed, key: keyLine(seed) })
  if (status !== 201) throw new Error(`the key of ${seed} was not made: ${JSON.stringify(body)}`)
  return body
}

export const keysOf = (project: { id: number }) => `/projects/${project.id}/deploy_keys`
export const keyOf = (project: { id: number }, key: { id: number }) => `${keysOf(project)}/${key.id}`

/** Makes a private project of another user, with a maintainer and a developer as members. */
export async function makeProject(server: TestServer, path: string, maintainer: Person, developer: Person) {
  const owner = await server.user(`owner_of_${path}`)
  const project = await server.make.project(path, owner)
  await server.make.member({ project }, maintainer, 40)
  await server.make.member({ project }, developer, 30)
  return project
}

export const start = '2026-03-04T05:06:07.890Z'
export const recordNotFound = { status: 404, body: { message: '404 Not found' } }
export const keyNotFound = { status: 404, body: { message: '404 Deploy key Not Found' } }

export let server: TestServer
export let clock: ManualClock
export let maintainer: Person
export let developer: Person

/** Starts a server with a manual clock before the tests of a file and stops it after them. */
export function serveForTests(): void {
  beforeAll(async () => {
    clock = manualClock({ start })
    server = await startTestServer({ clock })
    maintainer = await server.user('maintainer')
    developer = await server.user('developer')
  })
  afterAll(() => server.stop())
}

export const database = () => server.app.platform.database

/** Makes a private project with `maintainer` and `developer` as members. */
export const made = (path: string) => makeProject(server, path, maintainer, developer)

export async function keyRow(id: number) {
  return database().read.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst()
}
