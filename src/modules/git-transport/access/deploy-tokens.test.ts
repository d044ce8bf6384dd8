import { afterAll, beforeAll, expect, test } from 'vitest'
import { git, httpUrl, startTestServer, type TestServer, temporaryDirectory } from '../../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('a deploy token gives access to the projects of its own group or project only', async () => {
  const owner = await server.user('owner')
  const top = await server.make.group('top', owner)
  const below = await server.make.group('below', owner, { parent: top })
  const other = await server.make.group('other', owner)
  const inside = await server.make.project('inside', owner, { namespace: below })
  const sibling = await server.make.project('sibling', owner, { namespace: below })
  const outside = await server.make.project('outside', owner, { namespace: other })
  const values = { name: 'reader', username: 'reader', scopes: ['read_repository'] }
  const ofGroup = (await owner.post(`/groups/${top.id}/deploy_tokens`, values)).body.token
  const ofProject = (await owner.post(`/projects/${inside.id}/deploy_tokens`, values)).body.token
  await using folder = await temporaryDirectory()
  const opens = async (token: string, project: { full_path: string }) => {
    const address = httpUrl(server, { username: 'reader', token }, project.full_path)
    return (await git(folder.path, 'ls-remote', address)).code === 0
  }
  expect(await opens(ofGroup, inside)).toBe(true)
  expect(await opens(ofGroup, sibling)).toBe(true)
  expect(await opens(ofGroup, outside)).toBe(false)
  expect(await opens(ofProject, inside)).toBe(true)
  expect(await opens(ofProject, sibling)).toBe(false)
  expect(await opens(ofProject, outside)).toBe(false)
})
