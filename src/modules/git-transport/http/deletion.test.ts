import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  git,
  httpUrl,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { beginPush, filesOf } from '../push-testing.ts'

let server: TestServer
let owner: Person
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let whenAsked = async () => {}
let whenMoved = async () => {}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one'])
  await writeFile(join(folder.path, 'large'), randomBytes(200_000))
  await git(folder.path, 'add', 'large')
  await git(folder.path, 'commit', '--quiet', '--message', 'two')
  const { rules, listeners } = server.app.platform.gate
  rules.push(async () => {
    await whenAsked()
    return null
  })
  const prepare = async () => {
    await whenMoved()
    return async () => {}
  }
  listeners.push({ prepare })
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

/** Deletes a project, its rows and, unless something holds them, its files. */
async function remove(name: string): Promise<void> {
  whenAsked = async () => {}
  whenMoved = async () => {}
  const { id } = (await server.root.get(`/projects/owner%2F${name}`)).body
  await server.root.delete(`/projects/${id}`)
  const path = (await server.root.get(`/projects/${id}`)).body.path_with_namespace
  await server.root.delete(`/projects/${id}?permanently_remove=true&full_path=${path}`)
  await server.app.platform.jobs.drain()
  expect((await server.root.get(`/projects/${id}`)).status).toBe(404)
}

const push = (name: string) => git(folder.path, 'push', httpUrl(server, owner, `owner/${name}`), 'main')

describe('a push to a project that is deleted meanwhile', () => {
  test('is refused with a message when that happens during the rules', async () => {
    await server.make.project('asked', owner)
    whenAsked = () => remove('asked')
    const { code, stderr } = await push('asked')
    expect(code).toBe(1)
    expect(stderr).toContain('remote: GitLab: The project you were looking for could not be found.')
    expect(stderr).toContain('pre-receive hook declined')
  })

  test('is refused with a message when a rule fails because of it', async () => {
    await server.make.project('failing', owner)
    whenAsked = async () => {
      await remove('failing')
      throw new Error('the repository is gone')
    }
    expect((await push('failing')).stderr).toContain(
      'remote: GitLab: The project you were looking for could not be found.',
    )
  })

  test('ends with a message when its refs have moved before', async () => {
    await server.make.project('moved', owner)
    whenMoved = () => remove('moved')
    const { stderr } = await push('moved')
    expect(stderr).toContain('remote: The project was deleted during this push')
    expect(stderr).not.toContain('RPC failed')
  })

  test('is refused with a message when that happens during the transfer, and its files are deleted afterwards', async () => {
    await server.make.project('sending', owner)
    const files = await filesOf(server, 'owner/sending')
    const finish = await beginPush(server, owner, 'owner/sending', folder.path)
    await remove('sending')
    expect(await files.exists()).toBe(true)
    const answer = await finish()
    expect(answer).toContain('The project you were looking for could not be found')
    expect(answer).toContain('ng refs/heads/main pre-receive hook declined')
    const { database, jobs } = server.app.platform
    await database.write((tx) => jobs.enqueue(tx, 'repositories.remove_files', null))
    await jobs.drain()
    expect(await files.exists()).toBe(false)
  })
})
