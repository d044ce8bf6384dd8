import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let base: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  const project = await server.make.project('large', owner)
  base = `/projects/${project.id}`
  await write('.gitlab-ci.yml', 'job: {script: make}')
})
afterAll(() => server.stop())

const write = (path: string, content: string) =>
  owner.post(`${base}/repository/files/${encodeURIComponent(path)}`, {
    ...{ branch: 'main', commit_message: 'write [skip ci]', content },
  })

const jobs = (count: number, more = '') =>
  Array.from(
    { length: count },
    (_, index) => `job ${index}:\n  script: [echo $CI_COMMIT_BRANCH, ${index}]${more}\n`,
  ).join('')

const lint = (content: string, more: object = {}) =>
  owner.post(`${base}/ci/lint`, { content, include_jobs: true, ...more })

test('a large configuration is read like a small one', async () => {
  await write('shared.yml', '.base: {image: node, variables: {A: $B, B: "1"}}\ninner: {script: make, extends: .base}\n')
  await write('docs/index.md', 'x')
  const rules = '\n  extends: .base\n  rules: [{exists: ["docs/*"], when: manual}]'
  const head = 'include: shared.yml\nstages: [test]\n'
  const [small, large] = await Promise.all([1, 600].map((count) => lint(head + jobs(count, rules), { dry_run: true })))
  expect(small?.body).toMatchObject({ valid: true, errors: [], jobs: [{ name: 'inner' }, { name: 'job 0' }] })
  expect(large?.body.jobs).toHaveLength(601)
  expect(large?.body.jobs.slice(0, 2)).toEqual(small?.body.jobs)
  expect(large?.body.includes).toEqual(small?.body.includes)
  expect(large?.body.merged_yaml.slice(0, 100)).toEqual(small?.body.merged_yaml.slice(0, 100))
  expect((await lint(`${jobs(600)}last: {script: make, stage: none}\n`)).body).toMatchObject({
    valid: false,
    errors: ['last job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post'],
  })
  expect((await lint(`${jobs(600)}: [`)).body.errors).toEqual([expect.stringMatching(/^\(<unknown>\): .* at line \d+/)])
})

test('a pipeline of a large configuration gets its jobs', async () => {
  await owner.put(`${base}/repository/files/.gitlab-ci.yml`, {
    ...{
      branch: 'main',
      commit_message: 'grow [skip ci]',
      content: `workflow: {name: of $CI_COMMIT_BRANCH}\n${jobs(600)}`,
    },
  })
  const created = await owner.post(`${base}/pipeline`, { ref: 'main' })
  expect(created).toMatchObject({ status: 201, body: { status: 'pending', name: 'of main' } })
  const listed = await owner.get(`${base}/pipelines/${created.body.id}/jobs?per_page=1`)
  expect(listed.headers.get('x-total')).toBe('600')
})

test('aliases and `parallel` do not multiply without a bound', async () => {
  const text = `.a: &a "${'x'.repeat(100_000)}"\n.b: [${'*a, '.repeat(400)}]\njob: {script: make}`
  expect((await lint(text)).body.errors).toEqual(['The parsed YAML is too big'])
  const divided = Array.from({ length: 10 }, (_, index) => `p${index}: {script: make, parallel: 200}\n`).join('')
  const needs = `&n [${Array.from({ length: 10 }, (_, index) => `p${index}`).join(', ')}]`
  const needing = Array.from({ length: 200 }, (_, index) => `j${index}: {script: x, needs: ${index ? '*n' : needs}}\n`)
  expect((await lint(divided + needing.join(''), { dry_run: true })).body.errors).toEqual([
    'The parsed YAML is too big',
  ])
  const parallel = Array.from({ length: 30 }, (_, index) => `job ${index}: {script: make, parallel: 200}\n`).join('')
  expect((await lint(parallel, { dry_run: true })).body.errors).toEqual([
    'The number of jobs has exceeded the limit of 5000. Try splitting the configuration with parent-child-pipelines',
  ])
})

test('other requests are answered while the largest configurations are read', async () => {
  const text = jobs(4900, `\n  variables: {TEXT: "${'x'.repeat(150)}"}`)
  let answered = 0
  const linting = lint(text, { dry_run: true })
  const isDone = linting.then(() => true)
  while (!(await Promise.race([isDone, owner.get('/version').then(() => false)]))) answered += 1
  expect((await linting).body.valid).toBe(true)
  expect(answered).toBeGreaterThan(10)
})
