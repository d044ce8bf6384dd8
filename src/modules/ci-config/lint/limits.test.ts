import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

const defaults = {
  ci_max_includes: 150,
  max_yaml_size_bytes: 2_097_152,
  max_yaml_depth: 100,
  ci_max_total_yaml_size_bytes: 314_572_800,
}
const tooBig = ['The parsed YAML is too big']
let server: TestServer
let owner: Person
let base: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  base = `/projects/${(await server.make.project('limited', owner)).id}`
  await write('one.yml', '.one: {image: node}\n')
  await write('two.yml', '.two: {image: node}\n')
  await write('outer.yml', 'include: one.yml\n')
})
afterAll(async () => {
  await set(defaults)
  await server.stop()
})

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)

async function write(path: string, content: string) {
  const file = { branch: 'main', commit_message: 'write [skip ci]', content }
  expect((await owner.post(`${base}/repository/files/${encodeURIComponent(path)}`, file)).status).toBe(201)
}

const errorsOf = async (content: string) => (await owner.post(`${base}/ci/lint`, { content })).body.errors
const job = 'job: {script: make}\n'

test('a configuration includes as many files as the setting says, nested ones counted', async () => {
  const both = `include: [one.yml, two.yml]\n${job}`
  const nested = `include: outer.yml\n${job}`
  await set({ ci_max_includes: 2 })
  expect([await errorsOf(both), await errorsOf(nested)]).toEqual([[], []])
  await set({ ci_max_includes: 1 })
  const one = ['Maximum of 1 nested includes are allowed!']
  expect([await errorsOf(both), await errorsOf(nested), await errorsOf(`include: t*.yml\n${job}`)]).toEqual([
    one,
    one,
    [],
  ])
  await set({ ci_max_includes: 0 })
  expect(await errorsOf(nested)).toEqual(['Maximum of 0 nested includes are allowed!'])
  expect(await errorsOf(job)).toEqual([])
  await set(defaults)
})

test('each file has as many bytes as the setting says, and all of them have as many as another one', async () => {
  const text = `include: [one.yml, two.yml]\n${job}# é\n`
  const bytes = Buffer.byteLength(text)
  await set({ max_yaml_size_bytes: bytes, ci_max_total_yaml_size_bytes: bytes + 40 })
  expect(await errorsOf(text)).toEqual([])
  await set({ ci_max_total_yaml_size_bytes: bytes + 39 })
  expect(await errorsOf(text)).toEqual(tooBig)
  await set({ ...defaults, max_yaml_size_bytes: bytes - 1 })
  expect(await errorsOf(text)).toEqual(tooBig)
  await set({ max_yaml_size_bytes: 19 })
  expect(await errorsOf('include: two.yml\n')).toEqual(tooBig)
  await set(defaults)
  expect(await errorsOf(text)).toEqual([])
})

test('values are nested as deep as the setting says', async () => {
  const lists = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
  const nested = (levels: number) => `.deep: ${lists(levels)}\n${job}`
  const aliased = `.inner: &inner ${lists(150)}\n.outer: ${lists(60, '*inner')}\n${job}`
  await set({ max_yaml_depth: 10 })
  expect([await errorsOf(nested(10)), await errorsOf(nested(11))]).toEqual([[], tooBig])
  await set({ max_yaml_depth: 2_000_000 })
  expect([await errorsOf(nested(150)), await errorsOf(aliased)]).toEqual([[], tooBig])
  await set(defaults)
  expect([await errorsOf(nested(100)), await errorsOf(nested(101))]).toEqual([[], tooBig])
})

test('pipelines have the same limits, and large texts too', async () => {
  await write('.gitlab-ci.yml', `include: one.yml\n${job}`)
  await set({ ci_max_includes: 0 })
  expect(await owner.post(`${base}/pipeline`, { ref: 'main' })).toMatchObject({
    status: 400,
    body: { message: { base: ['Maximum of 0 nested includes are allowed!'] } },
  })
  const many = Array.from({ length: 600 }, (_, index) => `job ${index}: {script: [echo, make]}\n`).join('')
  expect(await errorsOf(`include: one.yml\n${many}`)).toEqual(['Maximum of 0 nested includes are allowed!'])
  await set(defaults)
  expect((await owner.post(`${base}/pipeline`, { ref: 'main' })).status).toBe(201)
  expect(await errorsOf(`include: one.yml\n${many}`)).toEqual([])
})

test('the limits are whole numbers from one on, set by administrators', async () => {
  for (const name of ['max_yaml_size_bytes', 'max_yaml_depth', 'ci_max_total_yaml_size_bytes']) {
    for (const value of [0, -1, 2 ** 31, 'x', null]) {
      expect([name, value, (await server.root.put('/application/settings', { [name]: value })).status]).toEqual([
        ...[name, value],
        400,
      ])
    }
  }
  expect((await owner.put('/application/settings', { ci_max_includes: 1000 })).status).toBe(403)
})
