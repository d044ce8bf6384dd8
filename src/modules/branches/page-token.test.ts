import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkTree, projectWithMembers, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('1.11 keyset pages follow page_token: every branch once, also when the named branch was deleted', async () => {
  const { owner, project } = await projectWithMembers(server)
  await using work = await openWorkTree(server, project)
  await work.commit('first')
  const branches = ['a', 'b', 'c', 'd', 'main']
  expect(await work.push(owner, ...branches.map((name) => `main:refs/heads/${name}`))).toMatchObject({
    isAccepted: true,
  })
  const base = `/projects/${project.id}/repository/branches`
  const seen: string[] = []
  for (let token = ''; token !== 'end'; ) {
    const query = `?pagination=keyset&per_page=2${token === '' ? '' : `&page_token=${token}`}`
    const answer = await owner.get(`${base}${query}`)
    seen.push(...answer.body.map(({ name }: { name: string }) => name))
    token = /page_token=([^&>]+)[^>]*>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? 'end'
  }
  expect(seen).toEqual(branches)
  const afterGone = await owner.get(`${base}?pagination=keyset&page_token=bb`)
  expect(afterGone.body.map(({ name }: { name: string }) => name)).toEqual(['c', 'd', 'main'])
})
