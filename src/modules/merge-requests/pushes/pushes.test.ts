import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, type Place } from '../testing.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

type Person = Place['developer']

let commits = 0

/** Commits to a branch, which starts at `main` unless it is there, and pushes it with options. @returns what the pusher sees */
async function push(branch: string, options: readonly string[], { as = place.developer, body = '' } = {}) {
  const { tree } = place
  const isThere = (await tree.run('branch', '--list', branch)) !== ''
  await tree.run('checkout', '--quiet', ...(isThere ? [branch] : ['-b', branch, 'main']))
  commits += 1
  await tree.commit(`Work on ${branch}${body}`, { [`${branch.replaceAll('/', '-')}.txt`]: `${commits}\n` })
  return pushRefs(as, options, branch)
}

async function pushRefs(as: Person, options: readonly string[], ...refs: string[]) {
  const parameters = options.flatMap((option) => ['-o', option])
  const { isAccepted, stderr } = await place.tree.push(as, '--force', ...parameters, ...refs)
  expect(isAccepted).toBe(true)
  return stderr.replace(/^remote: ?/gm, '').replace(/ +$/gm, '')
}

const create = 'merge_request.create'
const opened = async (query: string) => (await place.developer.get(`${place.at}?state=all&${query}`)).body

test('a push creates a merge request, and the next one shows and changes it', async () => {
  const { developer, maintainer, base, at } = place
  await maintainer.post(`${base}/milestones`, { title: '1.0' })
  const told = await push('feature', [create], { body: '\n\nWhy it is needed.' })
  const [made] = await opened('source_branch=feature')
  expect(told).toContain(`View merge request for feature:\n  ${made.web_url}\n`)
  expect(told).not.toContain('To create')
  expect(made).toMatchObject({
    ...{ title: 'Work on feature', description: 'Why it is needed.', target_branch: 'main', draft: false },
    ...{ state: 'opened', author: { id: developer.id }, assignees: [], labels: [], milestone: null, squash: false },
    force_remove_source_branch: null,
  })
  const again = await push(
    'feature',
    [
      ...['title=A = b', 'description=one\\ntwo', 'label=x', 'label=y', 'milestone=1.0', 'draft', 'squash'],
      ...[`assign=@${maintainer.username}`, `assign=${developer.id}`, 'assign=unknown', 'remove_source_branch'],
    ].map((option) => `merge_request.${option}`),
  )
  expect(again).toContain(`View merge request for feature:\n  ${made.web_url}\n`)
  expect(again).not.toContain('WARNING')
  const { body } = await developer.get(`${at}/${made.iid}`)
  expect(body).toMatchObject({
    ...{ title: 'Draft: A = b', description: 'one\ntwo', labels: ['x', 'y'], milestone: { title: '1.0' }, draft: true },
    ...{ squash: true, force_remove_source_branch: true },
  })
  expect(body.assignees.map(({ id }: { id: number }) => id)).toEqual([developer.id, maintainer.id])
  await push('feature', [`merge_request.unassign=${maintainer.username}`, 'merge_request.unlabel=x'])
  const after = (await developer.get(`${at}/${made.iid}`)).body
  expect([after.labels, after.assignees.length, after.milestone.title]).toEqual([['y'], 1, '1.0'])
  expect(await opened('source_branch=feature')).toHaveLength(1)
})

test('a push of several commits is named after its branch; a target can be named', async () => {
  await push('long_term-work', [])
  await pushRefs(place.owner, [], 'main:refs/heads/stable')
  const told = await push('long_term-work', [create, 'merge_request.target=stable', 'merge_request.label=new'])
  expect(told).toContain('View merge request for long_term-work:')
  expect(await opened('source_branch=long_term-work')).toMatchObject([
    { title: 'Long term work', description: null, target_branch: 'stable', labels: ['new'] },
  ])
  await push('long_term-work', ['merge_request.target=main'])
  expect(await opened('source_branch=long_term-work')).toMatchObject([{ target_branch: 'main' }])
})

test('the pusher reads why options could not be followed; the push stands', async () => {
  const { developer, maintainer, owner, base, tree, project } = place
  const warning = (options: string, text: string) => `WARNING: Error encountered with push options ${options}: ${text}`
  const told = await push('odd', ['merge_request.draft'])
  expect(told).toContain(
    warning(
      "'merge_request.draft'",
      'A merge_request.create push option is required to create a merge request for branch odd',
    ),
  )
  expect(told).toContain('To create a merge request for odd, visit:')
  const refusals: [string[], string][] = [
    [['merge_request.target=none'], `Target branch ${project.full_path}:none does not exist`],
    [['merge_request.target_project=other/one'], 'Source project is not a fork of the target project'],
    [['merge_request.target=odd'], "You can't use same project/branch for source and target"],
    [[`merge_request.title=${'x'.repeat(256)}`], 'title is too long (maximum is 255 characters)'],
    [['merge_request.title= '], "title can't be blank"],
  ]
  for (const [options, text] of refusals) {
    expect(await push('odd', [create, ...options])).toContain(`: ${text}\n`)
    expect(await opened('source_branch=odd')).toEqual([])
  }
  const many = Array.from({ length: 11 }, (_, index) => `main:refs/heads/many-${index}`)
  expect(await pushRefs(developer, [create], ...many)).toContain(
    'Too many branches pushed (11 were pushed, limit is 10)',
  )
  await pushRefs(developer, [create], ...many.map((ref) => ref.replace('main', '')))
  expect(await pushRefs(developer, ['merge_request.bogus'], 'main:refs/heads/unknown')).not.toContain('Error')
  await owner.put(base, { merge_requests_access_level: 'disabled' })
  expect(await push('odd', [create])).toContain(`Merge requests are not enabled for project ${project.full_path}`)
  await owner.put(base, { merge_requests_access_level: 'enabled' })
  expect(await opened('source_branch=odd')).toEqual([])
  expect((await maintainer.get(`${base}/repository/branches/odd`)).body.commit.id).toBe(
    await tree.run('rev-parse', 'odd'),
  )
})

test('several branches of one push get their merge requests; the target project may be named', async () => {
  await push('left', [])
  await push('right', [])
  const own = ['merge_request.target_project', `${place.project.full_path}`].join('=')
  const told = await pushRefs(place.developer, [create, own], 'left:refs/heads/left-2', 'right:refs/heads/right-2')
  expect(told).toContain('View merge request for left-2:')
  expect(told).toContain('View merge request for right-2:')
})

test('a merge follows when the push has no pipeline, and needs the right to merge', async () => {
  const { maintainer } = place
  const { jobs } = server.app.platform
  const refused = await push('not-mine', [create, 'merge_request.merge_when_pipeline_succeeds'])
  expect(refused).toMatch(
    /'merge_request.create' 'merge_request.merge_when_pipeline_succeeds': !\d+ is not merged automatically: 401 Unauthorized/,
  )
  expect(await push('mine', [create, 'merge_request.auto_merge'], { as: maintainer })).not.toContain('WARNING')
  await jobs.drain()
  await expect
    .poll(() => opened('source_branch=mine'))
    .toMatchObject([{ state: 'merged', merge_user: { id: maintainer.id } }])
  expect(await opened('source_branch=not-mine')).toMatchObject([{ state: 'opened', merge_user: null }])
})
