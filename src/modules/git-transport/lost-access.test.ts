import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  git,
  makeHistory,
  type Person,
  projectWithMembers,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import { beginPush } from './push-testing.ts'

let server: TestServer
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  server = await startTestServer()
  folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one'])
  await writeFile(join(folder.path, 'large'), randomBytes(200_000))
  await git(folder.path, 'add', 'large')
  await git(folder.path, 'commit', '--quiet', '--message', 'two')
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

type Project = Awaited<ReturnType<typeof projectWithMembers>>

const notFound = "The project you were looking for could not be found or you don't have permission to view it."
const cases: [
  what: string,
  sentence: string,
  lose: (project: Project, person: Person) => Promise<{ status: number }>,
][] = [
  [
    'the pusher is removed from the members',
    notFound,
    ({ owner, project }, person) => owner.delete(`/projects/${project.id}/members/${person.id}`),
  ],
  [
    'the pusher becomes a reporter',
    'You are not allowed to push code to this project.',
    ({ owner, project }, person) => owner.put(`/projects/${project.id}/members/${person.id}`, { access_level: 20 }),
  ],
  ['the token of the pusher is revoked', notFound, (_project, person) => person.delete('/personal_access_tokens/self')],
  ['the pusher is blocked', notFound, (_project, person) => server.root.post(`/users/${person.id}/block`)],
  [
    'the project is archived',
    "You can't push code to an archived project.",
    ({ owner, project }) => owner.post(`/projects/${project.id}/archive`),
  ],
]

describe('a push is refused after it has begun when', () => {
  test.each(cases)('%s', async (_what, sentence, lose) => {
    const people = await projectWithMembers(server)
    const { project, maintainer } = people
    const finish = await beginPush(server, maintainer, project.full_path, folder.path)
    expect((await lose(people, maintainer)).status).toBeLessThan(300)
    const answer = await finish()
    expect(answer).toContain(`GitLab: ${sentence}`)
    expect(answer).toContain('ng refs/heads/main pre-receive hook declined')
    expect((await server.root.get(`/projects/${project.id}/repository/branches`)).body).toEqual([])
  })

  test('none of this happens, it is accepted', async () => {
    const { project, maintainer } = await projectWithMembers(server)
    const finish = await beginPush(server, maintainer, project.full_path, folder.path)
    expect(await finish()).toContain('ok refs/heads/main')
  })
})
