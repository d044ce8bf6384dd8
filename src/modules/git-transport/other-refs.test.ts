import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpUrl, openWorkTree, projectWithMembers, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

async function pushedProject() {
  const people = await projectWithMembers(server)
  const work = await openWorkTree(server, people.project)
  await work.commit('one')
  expect(await work.push(people.maintainer, 'main')).toMatchObject({ isAccepted: true })
  const remoteRefs = async () => {
    const lines = await work.run('ls-remote', httpUrl(server, people.maintainer, people.project.full_path))
    return lines.split('\n').map((line) => line.split('\t')[1])
  }
  return { ...people, work, remoteRefs, [Symbol.asyncDispose]: () => work[Symbol.asyncDispose]() }
}

describe('notes', () => {
  test('are pushed, fetched and deleted by a developer, and refused to a reporter', async () => {
    await using project = await pushedProject()
    const { work, developer, reporter, remoteRefs } = project
    await work.run('notes', 'add', '-m', 'a note')
    expect(await work.push(reporter, 'refs/notes/*')).toMatchObject({ isAccepted: false })
    expect(await work.push(developer, 'refs/notes/*')).toMatchObject({ isAccepted: true, sentences: [] })
    expect(await remoteRefs()).toEqual(['HEAD', 'refs/heads/main', 'refs/notes/commits'])
    await work.run('notes', 'add', '--force', '-m', 'another note')
    const address = httpUrl(server, developer, project.project.full_path)
    await work.run('fetch', '--quiet', address, 'refs/notes/commits:refs/notes/fetched')
    expect(await work.run('notes', '--ref=fetched', 'show')).toBe('a note')
    expect(await work.push(developer, 'refs/notes/commits')).toMatchObject({ isAccepted: true })
    expect(await work.push(developer, ':refs/notes/commits')).toMatchObject({ isAccepted: true })
    expect(await remoteRefs()).toEqual(['HEAD', 'refs/heads/main'])
  })

  test('create no event, and push rules for commit messages do not apply', async () => {
    await using project = await pushedProject()
    const { work, owner, developer } = project
    const events = async () => (await owner.get(`${work.base}/events?action=pushed`)).body.length
    await server.app.platform.jobs.drain()
    const before = await events()
    const rule = await server.root.post(`${work.base}/push_rule`, { commit_message_regex: '^TICKET-' })
    expect(rule.status).toBe(201)
    await work.run('notes', 'add', '-m', 'a note')
    expect(await work.push(developer, 'refs/notes/*')).toMatchObject({ isAccepted: true })
    await server.app.platform.jobs.drain()
    expect(await events()).toBe(before)
  })
})

describe('refs that are no branch, tag or note', () => {
  const others = ['refs/merge-requests/1/head', 'refs/pull/1/head', 'refs/keep-around/x', 'refs/Merge-Requests/1']

  test('are refused one by one, and the rest of a mirror is pushed', async () => {
    await using project = await pushedProject()
    const { work, developer, remoteRefs } = project
    await work.run('branch', 'side')
    await work.run('tag', 'v1')
    await work.run('notes', 'add', '-m', 'a note')
    for (const ref of others) await work.run('update-ref', ref, 'main')
    const { isAccepted, sentences, stderr } = await work.push(developer, '--mirror')
    expect(isAccepted).toBe(false)
    expect(sentences.toSorted()).toEqual(others.map((ref) => `Pushing to ${ref} is not allowed.`).toSorted())
    for (const ref of others) expect(stderr).toMatch(new RegExp(`! \\[remote rejected\\] +${ref} .*hidden ref`))
    expect(await remoteRefs()).toEqual([
      ...['HEAD', 'refs/heads/main', 'refs/heads/side', 'refs/notes/commits', 'refs/tags/v1'],
    ])
    const { body } = await developer.get(`${work.base}/repository/branches`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['main', 'side'])
  })

  test('are reported separately only when the other refs may move', async () => {
    await using project = await pushedProject()
    const { work, developer, remoteRefs } = project
    await work.run('update-ref', 'refs/pull/1/head', 'main')
    const pushed = await work.push(developer, 'refs/pull/1/head', 'main:refs/heads/side', ':main')
    expect(pushed.sentences).toContain('The default branch of a project cannot be deleted.')
    expect(await remoteRefs()).toEqual(['HEAD', 'refs/heads/main'])
  })

  test('cause the refusal of a whole atomic push', async () => {
    await using project = await pushedProject()
    const { work, developer, remoteRefs } = project
    const pushed = await work.push(developer, '--atomic', 'main:refs/heads/side', 'main:refs/pull/1/head')
    expect(pushed.isAccepted).toBe(false)
    expect(await remoteRefs()).toEqual(['HEAD', 'refs/heads/main'])
  })

  test('add no objects when they are pushed without branches', async () => {
    await using project = await pushedProject()
    const { work, developer } = project
    await work.commit('two')
    const oid = await work.run('rev-parse', 'HEAD')
    expect(await work.push(developer, 'main:refs/pull/1/head')).toMatchObject({
      isAccepted: false,
      sentences: ['Pushing to refs/pull/1/head is not allowed.'],
    })
    expect((await developer.get(`${work.base}/repository/commits/${oid}`)).status).toBe(404)
  })
})
