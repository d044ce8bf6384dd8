import { describe, expect, test, vi } from 'vitest'
import { startFennec } from '../src/index.ts'
import { clientOf, git, makeHistory, startTestServer, temporaryDirectory } from '../src/testing/index.ts'

describe('startFennec', () => {
  test('starts complete servers, also several at once', async () => {
    await using one = await startFennec()
    await using two = await startFennec()
    expect(one.url).not.toBe(two.url)
    for (const { url, rootToken } of [one, two]) {
      expect((await clientOf(url, rootToken).get('/user')).body.username).toBe('root')
    }
    expect((await clientOf(one.url, two.rootToken).get('/user')).status).toBe(401)
  })

  test('reset removes all data, also for resources that are created later', async () => {
    await using server = await startTestServer()
    const fill = async () => {
      const made = await server.root.post('/projects', { name: 'demo' })
      expect(made).toMatchObject({ status: 201, body: { id: 1 } })
      await using folder = await temporaryDirectory()
      await makeHistory(folder.path, ['one'])
      const address = `${server.url.replace('://', `://root:${server.rootToken}@`)}/root/demo.git`
      expect(await git(folder.path, 'push', address, 'main')).toMatchObject({ code: 0 })
    }
    const recurring = () =>
      server.app.platform.database.read.selectFrom('recurring_jobs').select('name').orderBy('name').execute()
    const before = await recurring()
    expect(before).not.toEqual([])
    await fill()
    await server.reset()
    expect(await recurring()).toEqual(before)
    expect((await server.root.get('/projects')).body).toEqual([])
    const again = await server.root.post('/projects', { name: 'demo' })
    expect(again).toMatchObject({ status: 201, body: { id: 1, empty_repo: true } })
    expect((await server.root.get('/projects/1/repository/branches')).body).toEqual([])
    await server.reset()
    await fill()
  })
})

describe('monitoring', () => {
  test('reports liveness, readiness and metrics', async () => {
    await using server = await startTestServer()
    expect(await server.anonymous.get('/-/health')).toMatchObject({ status: 200, body: 'GitLab OK' })
    expect(await server.anonymous.get('/-/liveness')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect((await server.anonymous.get('/-/readiness')).body).toEqual({
      status: 'ok',
      master_check: [{ status: 'ok' }],
    })
    const available = vi.spyOn(server.app.platform.git, 'isAvailable').mockReturnValue(false)
    expect(await server.anonymous.get('/-/readiness')).toMatchObject({ status: 503, body: { status: 'failed' } })
    available.mockRestore()
    await server.root.get('/version')
    const metrics = await server.anonymous.get('/-/metrics')
    expect(metrics.headers.get('content-type')).toContain('text/plain')
    expect(metrics.body).toContain(
      'fennec_request_seconds_count{operation="metadata.version",method="GET",status="200"}',
    )
  })
})
