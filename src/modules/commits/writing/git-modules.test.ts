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

let server: TestServer
let owner: Person
let projectId: number
let work: Awaited<ReturnType<typeof temporaryDirectory>>
let address: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  work = await temporaryDirectory()
  await makeHistory(work.path, ['one'])
  projectId = (await server.make.project('modules', owner)).id
  address = httpUrl(server, owner, 'owner/modules')
  expect(await git(work.path, 'push', address, 'main')).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await server.stop()
  await work[Symbol.asyncDispose]()
})

const newBranch = () => `b-${randomBytes(6).toString('hex')}`

async function byGit(path: string, content: string): Promise<boolean> {
  await writeFile(join(work.path, '.git', 'content'), content)
  const blob = (await git(work.path, 'hash-object', '-w', '.git/content')).stdout.trim()
  await git(work.path, 'read-tree', 'main')
  await git(work.path, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`)
  const tree = (await git(work.path, 'write-tree')).stdout.trim()
  const commit = (await git(work.path, 'commit-tree', tree, '-p', 'main', '-m', 'm')).stdout.trim()
  return (await git(work.path, 'push', address, `${commit}:refs/heads/${newBranch()}`)).code === 0
}

function write(...actions: object[]) {
  const commit = { branch: newBranch(), start_branch: 'main', commit_message: 'm', actions }
  return owner.post(`/projects/${projectId}/repository/commits`, commit)
}

const inOne = (lines: string) => `[submodule "a"]\n${lines}\n`

describe('a .gitmodules', () => {
  test.each<[accepted: boolean, content: string, path?: string]>([
    [true, inOne('\tpath = a\n\turl = https://example.com/a.git')],
    [true, inOne('\turl = ../other.git ; -x\n\tbranch = -x')],
    [true, inOne('\turl = ../../../other.git')],
    [true, '[other "a"]\n\turl = -x\n'],
    [true, '[submodule]\n\turl = -x\n'],
    [true, 'no such thing\n'],
    [true, '[submodule ".."]\n'],
    [true, inOne('\turl = -x'), 'modules.txt'],
    [false, inOne('\turl = -x')],
    [false, inOne('\turl = -x'), 'deep/er/.gitmodules'],
    [false, inOne('\turl = -x'), '.GitModules'],
    [false, inOne('\tURL = ""-x')],
    [false, inOne('\turl = "-x"')],
    [false, inOne('\turl =\\\n-x')],
    [false, '[submodule "a"] url = -x'],
    [false, '[SUBMODULE.a]\nurl=-x'],
    [false, inOne('\turl = "https://example.com/\\nx"')],
    [false, inOne('\turl = https://example.com/%0ax')],
    [false, inOne('\turl = https://')],
    [false, inOne('\turl = https:///x')],
    [false, inOne('\turl = ../../../:x')],
    [false, inOne('\tpath = -x')],
    [false, inOne('\tupdate = !id')],
    [false, '[submodule "../a"]\n\turl = x\n'],
    [false, '[submodule "a/../b"]\n\turl = x\n'],
    [false, '[submodule "a\\\\..\\\\b"]\r\n\turl = x\r\n'],
    [false, '[submodule ""]\n\turl = x\n'],
    [false, `${inOne('\turl = -x')}[broken\n`],
  ])('is accepted (%j) by the API as by git: %j %s', async (accepted, content, path = '.gitmodules') => {
    const { status, body } = await write({ action: 'create', file_path: path, content })
    const message = `The names, paths and URLs of submodules are not acceptable: ${path}`
    expect([status, body.message]).toEqual(accepted ? [201, 'm'] : [400, message])
    expect(await byGit(path, content)).toBe(accepted)
  })

  test('is also checked after a move, and must not be large', async () => {
    const made = { action: 'create', file_path: 'x', content: inOne('\turl = -x') }
    const moved = { action: 'move', file_path: '.gitmodules', previous_path: 'x' }
    expect((await write(made, moved)).status).toBe(400)
    const file = { branch: 'main', commit_message: 'm', content: inOne('\turl = -x') }
    expect((await owner.post(`/projects/${projectId}/repository/files/x`, file)).status).toBe(201)
    expect((await write(moved)).status).toBe(400)
    const large = { action: 'create', file_path: '.gitmodules', content: '\n'.repeat(1024 * 1024 + 1) }
    expect((await write(large)).status).toBe(400)
  })
})
