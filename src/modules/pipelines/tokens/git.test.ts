import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  git,
  httpUrl,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { admit } from '../../git-transport/index.ts'
import { jobWithToken, projectWithConfig } from '../testing.ts'
import { callerOfJob } from './job-tokens.ts'

let server: TestServer
let owner: Person
let folder: { path: string } & AsyncDisposable
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  folder = await temporaryDirectory()
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await server.stop()
})

const config = 'work: {script: make}\n'
const made = (path: string, person = owner) => projectWithConfig(server, person, path, config)
const urlOf = (token: string, path: string) => httpUrl(server, { username: 'gitlab-ci-token', token }, path)

/** Status and text of the first request of a fetch or push. */
async function ask(token: string, path: string, service = 'git-upload-pack', username = 'gitlab-ci-token') {
  const headers = { Authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` }
  const answer = await fetch(`${server.url}/${path}.git/info/refs?service=${service}`, { headers })
  return [answer.status, answer.status === 200 ? '' : await answer.text()] as const
}
const push = 'git-receive-pack'

test.each(['private', 'public'])('a job clones its own %s project and the ref of its pipeline', async (visibility) => {
  const project = await made(`cloned-${visibility}`)
  expect((await owner.put(`/projects/${project.id}`, { visibility })).status).toBe(200)
  const created = await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  expect(created.status).toBe(201)
  const job = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const url = urlOf(job.token, project.full_path)
  const ref = `refs/pipelines/${created.body.id}`
  for (const version of ['0', '2']) {
    const target = `${folder.path}/clone-${visibility}-${version}`
    expect(await git(folder.path, 'init', '-q', target)).toMatchObject({ code: 0 })
    const refspecs = [`+${ref}:${ref}`, '+refs/heads/main:refs/remotes/origin/main']
    const fetched = await git(target, '-c', `protocol.version=${version}`, 'fetch', '--depth', '20', url, ...refspecs)
    expect(fetched).toMatchObject({ code: 0 })
    expect((await git(target, 'rev-parse', ref)).stdout.trim()).toBe(created.body.sha)
  }
  const asOwner = httpUrl(server, owner, project.full_path)
  // Git sends no credentials to a public project, so the owner cannot be told from a job.
  expect((await git(folder.path, 'ls-remote', asOwner)).stdout.includes(ref)).toBe(visibility === 'public')
  expect((await git(folder.path, 'ls-remote', url)).stdout).toContain(ref)
  expect((await ask(job.token, project.full_path, 'git-upload-pack', 'owner'))[0]).toBe(401)
  // Its token ends with it.
  await job.end()
  expect((await ask(job.token, project.full_path))[0]).toBe(401)
})

test('a job pushes only where the project allows it, and never the refs of pipelines', async () => {
  const project = await made('pushed')
  const job = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const url = urlOf(job.token, project.full_path)
  const clone = `${folder.path}/pushing`
  expect(await git(folder.path, 'clone', '-q', url, clone)).toMatchObject({ code: 0 })
  expect(await ask(job.token, project.full_path, push)).toEqual([403, 'You are not allowed to upload code.'])
  expect((await git(clone, 'push', url, 'main:refs/heads/new')).code).not.toBe(0)
  const allowed = await owner.put(`/projects/${project.id}`, { ci_push_repository_for_job_token_allowed: true })
  expect(allowed.body.ci_push_repository_for_job_token_allowed).toBe(true)
  expect(await git(clone, 'push', url, 'main:refs/heads/new')).toMatchObject({ code: 0 })
  expect((await git(clone, 'push', url, 'main:refs/pipelines/1')).code).not.toBe(0)
  const names = (await owner.get(`/projects/${project.id}/repository/branches`)).body.map(
    ({ name }: { name: string }) => name,
  )
  expect(names).toEqual(['main', 'new'])
})

test('a job whose user may not push does not push', async () => {
  const project = await made('read-only')
  const reporter = await server.user('reporter')
  await server.make.member({ project }, reporter, 20)
  await owner.put(`/projects/${project.id}`, { ci_push_repository_for_job_token_allowed: true })
  const { token } = await jobWithToken(server, { projectId: project.id, userId: reporter.id })
  expect((await ask(token, project.full_path))[0]).toBe(200)
  expect(await ask(token, project.full_path, push)).toEqual([403, 'You are not allowed to push code to this project.'])
})

test('a job of another project fetches what everyone may fetch, and creates no project', async () => {
  const project = await made('source')
  const [secret, open] = [await made('secret'), await made('open')]
  await owner.put(`/projects/${open.id}`, { visibility: 'public' })
  const foreign = await made('foreign', await server.user('stranger'))
  const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const notAllowed = (path: string) =>
    [403, `Authentication by CI/CD job token not allowed from owner/source to ${path}.`] as const
  const notFound = "The project you were looking for could not be found or you don't have permission to view it."
  expect(await ask(token, secret.full_path)).toEqual(notAllowed('owner/secret'))
  expect(await ask(token, secret.full_path, push)).toEqual(notAllowed('owner/secret'))
  expect(await ask(token, open.full_path)).toEqual([200, ''])
  expect(await ask(token, open.full_path, push)).toEqual(notAllowed('owner/open'))
  for (const service of ['git-upload-pack', push]) {
    expect(await ask(token, foreign.full_path, service)).toEqual([404, notFound])
    expect(await ask(token, 'owner/created', service)).toEqual([404, notFound])
  }
  expect((await owner.get('/projects/owner%2Fcreated')).status).toBe(404)
})

test('a job fetches from a project as long as its own is listed there, and never pushes to it', async () => {
  const [project, other] = [await made('fetching'), await made('fetched')]
  const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const stranger = await server.user('unrelated')
  const { token: unrelated } = await jobWithToken(server, { projectId: project.id, userId: stranger.id })
  const list = `/projects/${other.id}/job_token_scope/allowlist`
  expect((await owner.post(list, { target_project_id: project.id })).status).toBe(201)
  expect(await ask(token, other.full_path)).toEqual([200, ''])
  expect((await ask(token, other.full_path, push))[0]).toBe(403)
  expect((await ask(unrelated, other.full_path))[0]).toBe(404)
  expect((await owner.delete(`${list}/${project.id}`)).status).toBe(204)
  expect((await ask(token, other.full_path))[0]).toBe(403)
})

test('a job of an administrator has no rights of one in other projects', async () => {
  const [project, secret, closed] = [await made('administered'), await made('not-listed'), await made('members-only')]
  await owner.put(`/projects/${closed.id}`, { visibility: 'public' })
  const levels = { builds_access_level: 'private', merge_requests_access_level: 'private' }
  const answer = await owner.put(`/projects/${closed.id}`, { ...levels, repository_access_level: 'private' })
  expect(answer.status).toBe(200)
  const { token } = await jobWithToken(server, { projectId: project.id, userId: 1 })
  for (const { full_path: path } of [secret, closed]) {
    expect((await ask(token, path))[0]).toBe(403)
    expect((await ask(token, path, push))[0]).toBe(403)
    const body = JSON.stringify({ operation: 'download', objects: [{ oid: '0'.repeat(64), size: 1 }] })
    const headers = {
      Authorization: `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}`,
      'Content-Type': 'application/vnd.git-lfs+json',
      Accept: 'application/vnd.git-lfs+json',
    }
    const batch = await fetch(`${server.url}/${path}.git/info/lfs/objects/batch`, { method: 'POST', headers, body })
    expect(batch.status).toBe(403)
  }
})

test('a job reads the wiki of its project, and no other', async () => {
  const group = await server.make.group('documented', owner)
  const project = await server.make.project('inside', owner, { namespace: group })
  const sibling = await server.make.project('sibling', owner, { namespace: group })
  for (const path of [`projects/${project.id}`, `projects/${sibling.id}`, `groups/${group.id}`]) {
    expect((await owner.post(`/${path}/wikis`, { title: 'home', content: 'text' })).status).toBe(201)
  }
  const { token } = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  expect((await ask(token, 'documented/inside.wiki'))[0]).toBe(200)
  expect((await ask(token, 'documented/sibling.wiki'))[0]).toBe(403)
  expect((await ask(token, 'documented.wiki'))[0]).toBe(404)
  expect((await ask(token, 'documented.wiki', push))[0]).toBe(404)
})

test('a push that has begun is refused when the job has ended', async () => {
  const project = await made('ending')
  await owner.put(`/projects/${project.id}`, { ci_push_repository_for_job_token_allowed: true })
  const { platform } = server.app
  const job = await jobWithToken(server, { projectId: project.id, userId: owner.id })
  const actor = await callerOfJob(platform, { token: job.token })
  if (!actor) throw new Error('the token is valid')
  const again = () => admit(platform, project.full_path, { kind: 'actor', actor }, push, { isAgain: true })
  expect(await again()).toMatchObject({ userId: owner.id })
  await job.end()
  expect(await again()).toEqual({ kind: 'not_found' })
})
