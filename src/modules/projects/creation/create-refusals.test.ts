import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { messageOf } from '../testing.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
})
afterAll(() => server.stop())

const letters =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
const strict =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."
const nameRule =
  "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'."
const taken = ['has already been taken']

describe('a new project is refused', () => {
  test('without a name', async () => {
    const { status, body } = await alice.post('/projects', { description: 'x' })
    expect(status).toBe(400)
    expect(body.error).toBe('name, path are missing, at least one parameter must be provided')
    expect(await messageOf(alice.post('/projects', { name: '', path: '' }))).toEqual([
      400,
      expect.objectContaining({ name: ["can't be blank"] }),
    ])
  })

  test('with taken names and paths, with errors only for those that clash', async () => {
    await alice.post('/projects', { name: 'Twin', path: 'twin-path' })
    expect(await messageOf(alice.post('/projects', { name: 'tWIN', path: 'TWIN-path' }))).toEqual([
      400,
      { 'project_namespace.name': taken, name: taken, path: taken },
    ])
    expect(await messageOf(alice.post('/projects', { name: 'twin', path: 'other-twin' }))).toEqual([
      400,
      { 'project_namespace.name': taken, name: taken },
    ])
    expect(await messageOf(alice.post('/projects', { name: 'other', path: 'twin-path' }))).toEqual([
      400,
      { path: taken },
    ])
  })

  test('when a group has the path', async () => {
    const parent = await server.make.group('clash', alice)
    await server.make.group('inner', alice, { parent })
    expect(
      await messageOf(alice.post('/projects', { name: 'Another', path: 'INNER', namespace_id: parent.id })),
    ).toEqual([400, { path: taken }])
  })

  test('for one of two equal concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => alice.post('/projects', { name: 'Racing', initialize_with_readme: true })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    const refused = answers.find(({ status }) => status === 400)
    expect(refused?.body).toEqual({ message: { 'project_namespace.name': taken, name: taken, path: taken } })
  })

  test.each([
    ['-start', [letters, strict]],
    ['end.git', [letters, strict]],
    ['end.atom', [letters, strict]],
    ['with space', [letters, strict]],
    ['ünder', [letters, strict]],
    ['a/b', [letters, strict]],
    ['..', [strict]],
    ['_start', [strict]],
    ['end-', [strict]],
    ['end.', [strict]],
  ])('with the path %s', async (path, sentences) => {
    expect(await messageOf(alice.post('/projects', { name: `path ${path.length}`, path }))).toEqual([
      400,
      expect.objectContaining({ 'project_namespace.path': [strict], path: sentences }),
    ])
  })

  test.each(['tree', 'TREE', 'wikis', 'blob', 'new'])('with the reserved path %s', async (path) => {
    expect(await messageOf(alice.post('/projects', { path, name: 'fine' }))).toEqual([
      400,
      { path: [`${path} is a reserved name`] },
    ])
  })

  test.each(['*x', ' blank', 'a/b', 'a<b>', '(x)'])('with the name %j', async (name) => {
    expect(await messageOf(alice.post('/projects', { name, path: 'fine' }))).toEqual([400, { name: [nameRule] }])
  })

  test('with too long texts', async () => {
    const long = 'x'.repeat(256)
    expect(await messageOf(alice.post('/projects', { name: long, path: 'fine' }))).toEqual([
      400,
      { name: ['is too long (maximum is 255 characters)'] },
    ])
    expect(await messageOf(alice.post('/projects', { name: 'fine', path: long }))).toEqual([
      400,
      { path: ['is too long (maximum is 255 characters)'] },
    ])
    expect(await messageOf(alice.post('/projects', { name: 'fine', description: 'x'.repeat(2001) }))).toEqual([
      400,
      { description: ['is too long (maximum is 2000 characters)'] },
    ])
  })

  test('with invalid values', async () => {
    const wrong = async (body: object) => (await alice.post('/projects', { name: 'wrong', ...body })).body.error
    expect(await wrong({ visibility: 'open' })).toBe('visibility does not have a valid value')
    expect(await wrong({ merge_method: 'octopus' })).toBe('merge_method does not have a valid value')
    expect(await wrong({ issues_access_level: 'public' })).toBe('issues_access_level does not have a valid value')
    expect(await wrong({ name: { a: 1 } })).toBe('name is invalid')
    expect(await wrong({ name: 'nul\u0000' })).toBe('name is invalid')
    expect(await wrong({ namespace_id: 'x' })).toBe('namespace_id is invalid')
    expect(await wrong({ initialize_with_readme: 'maybe' })).toBe('initialize_with_readme is invalid')
    expect(await wrong({ import_url: 'http://x', template_name: 'y' })).toBe(
      'import_url, template_name are mutually exclusive',
    )
  })

  test('with settings that violate their rules', async () => {
    const wrong = (body: object) => messageOf(alice.post('/projects', { name: 'wrong', ...body }))
    expect(await wrong({ build_timeout: 599 })).toEqual([
      400,
      { build_timeout: ['needs to be between 10 minutes and 1 month'] },
    ])
    expect(await wrong({ ci_config_path: '../x' })).toEqual([
      400,
      { ci_config_path: ['cannot include leading slash or directory traversal.'] },
    ])
    expect(await wrong({ container_expiration_policy_attributes: { cadence: '2d', keep_n: 7 } })).toEqual([
      400,
      {
        'container_expiration_policy.cadence': ['is not included in the list'],
        'container_expiration_policy.keep_n': ['is not included in the list'],
      },
    ])
    expect(await wrong({ container_expiration_policy_attributes: { enabled: true, name_regex: '(?=x)' } })).toEqual([
      400,
      { 'container_expiration_policy.name_regex': [expect.stringMatching(/^not valid RE2 syntax: /)] },
    ])
    expect(await wrong({ default_branch: 'a..b' })).toEqual([400, { default_branch: ['is invalid'] }])
    expect(await wrong({ template_name: 'rails' })).toEqual([400, { template_name: ["'rails' is unknown or invalid"] }])
  })

  test('without credentials, or with a read-only token', async () => {
    expect((await server.anonymous.post('/projects', { name: 'x' })).status).toBe(401)
    const reader = server.as(await server.make.token(alice, ['read_api']))
    expect((await reader.post('/projects', { name: 'x' })).body).toMatchObject({ error: 'insufficient_scope' })
  })
})
