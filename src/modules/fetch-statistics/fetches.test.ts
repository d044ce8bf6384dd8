import { expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { git, httpUrl, sshGit, sshKeyPair, sshUrl, startTestServer, temporaryDirectory } from '../../testing/index.ts'
import { forgetFetches } from './fetches.ts'

test('clones and fetches are counted by day, over HTTP and SSH, and pushes are not', async () => {
  const clock = manualClock({ start: '2026-03-10T12:00:00.000Z' })
  await using server = await startTestServer({ clock, sshPort: 0 })
  await using folder = await temporaryDirectory()
  const owner = await server.user('owner')
  const { body: project } = await owner.post('/projects', { name: 'p', initialize_with_readme: true })
  const statistics = async () => (await owner.get(`/projects/${project.id}/statistics`)).body.fetches
  expect(await statistics()).toEqual({ total: 0, days: [] })
  const address = httpUrl(server, owner, 'owner/p')
  expect(await git(folder.path, 'clone', '-q', address, 'one')).toMatchObject({ code: 0 })
  const here = `${folder.path}/one`
  await git(here, 'commit', '-q', '--allow-empty', '-m', 'more')
  expect(await git(here, 'push', '-q', address, 'HEAD:more')).toMatchObject({ code: 0 })
  await expect.poll(statistics).toEqual({ total: 1, days: [{ count: 1, date: '2026-03-10' }] })
  clock.advance(86_400_000)
  const key = await sshKeyPair(folder.path, 'owner')
  await owner.post('/user/keys', { title: 'k', key: key.publicKey })
  expect(await sshGit(server, key, here, 'fetch', sshUrl(server, 'owner/p'))).toMatchObject({ code: 0 })
  const days = [
    { count: 1, date: '2026-03-11' },
    { count: 1, date: '2026-03-10' },
  ]
  await expect.poll(statistics).toEqual({ total: 2, days })
  clock.advance(29 * 86_400_000)
  expect(await statistics()).toEqual({ total: 1, days: days.slice(0, 1) })
  await forgetFetches.run(server.app.platform, null, {} as never)
  const kept = server.app.platform.database.read.selectFrom('project_fetches').select('day')
  expect(await kept.execute()).toEqual([{ day: '2026-03-11' }])
})
