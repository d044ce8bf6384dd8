import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, makeHistory, type Person, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import { type AliceAndBob, startWithAliceAndBob } from '../testing.ts'

let server: TestServer
let alice: Person
let bob: Person
let projectWithBob: AliceAndBob['projectWithBob']

beforeAll(async () => {
  ;({ server, alice, bob, projectWithBob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

const taken = ['has already been taken']
describe('renaming a project', () => {
  test('redirects the old path until another project takes it', async () => {
    const { id, path, name } = await projectWithBob()
    const renamed = await alice.put(path, { path: `moved-${id}` })
    expect(renamed.body).toMatchObject({ path: `moved-${id}`, name, path_with_namespace: `alice/moved-${id}` })
    const old = await alice.get(`/projects/alice%2F${name}?statistics=true`)
    expect(old.status).toBe(301)
    expect(old.headers.get('location')).toBe(`${server.url}/api/v4/projects/${id}?statistics=true`)
    const refused = await alice.put(`/projects/alice%2F${name}`, { description: 'x' })
    expect([refused.status, refused.body]).toEqual([
      405,
      { message: 'Non GET methods are not allowed for moved projects' },
    ])
    expect((await bob.get(`/projects/alice%2F${name}`)).status).toBe(404)
    expect((await alice.post('/projects', { path: name, name: `other ${id}` })).status).toBe(201)
    expect((await alice.get(`/projects/alice%2F${name}`)).body.name).toBe(`other ${id}`)
  })

  test('can be undone, and can change the case only', async () => {
    const { path, name } = await projectWithBob()
    await alice.put(path, { path: 'somewhere' })
    expect((await alice.put(path, { path: name })).body.path).toBe(name)
    expect((await alice.get(`/projects/alice%2F${name}`)).status).toBe(200)
    expect((await alice.put(path, { path: name.toUpperCase() })).body.path_with_namespace).toBe(
      `alice/${name.toUpperCase()}`,
    )
    expect((await alice.get(`/projects/alice%2F${name}`)).status).toBe(200)
  })

  test('does not move the repository: git finds it by the new path', async () => {
    await using folder = await temporaryDirectory()
    const made = await alice.post('/projects', { name: 'To be moved', initialize_with_readme: true })
    await alice.put(`/projects/${made.body.id}`, { path: 'was-moved' })
    const address = server.url.replace('http://', `http://alice:${alice.token}@`)
    expect(await git(folder.path, 'clone', `${address}/alice/was-moved.git`, 'new')).toMatchObject({ code: 0 })
    expect(await git(folder.path, 'clone', `${address}/alice/to-be-moved.git`, 'old')).toMatchObject({ code: 0 })
  })

  test('is refused for taken names and paths', async () => {
    const [one, other] = [await projectWithBob(), await projectWithBob()]
    const both = await alice.put(one.path, { name: other.name, path: other.name.toUpperCase() })
    expect([both.status, both.body.message]).toEqual([
      400,
      { 'project_namespace.name': taken, name: taken, path: taken },
    ])
    expect((await alice.put(one.path, { path: other.name })).body.message).toEqual({ path: taken })
    expect((await alice.put(one.path, { name: one.name, path: one.name })).status).toBe(200)
  })

  test('succeeds for one of two concurrent requests for the same path', async () => {
    const projects = [await projectWithBob(), await projectWithBob(), await projectWithBob()]
    const answers = await Promise.all(projects.map(({ path }) => alice.put(path, { path: 'wanted', name: 'Wanted' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  test('is refused for invalid names and paths', async () => {
    const { path } = await projectWithBob()
    expect((await alice.put(path, { path: 'tree' })).body.message).toEqual({ path: ['tree is a reserved name'] })
    expect((await alice.put(path, { name: '' })).body.message).toEqual({ name: ["can't be blank"] })
    const wrong = (await alice.put(path, { path: '' })).body.message
    expect(Object.keys(wrong)).toEqual(['project_namespace.path', 'path'])
  })
})

describe('the default branch', () => {
  test('must exist, and sets HEAD', async () => {
    await using folder = await temporaryDirectory()
    const { id, path, name } = await projectWithBob()
    const none = await alice.put(path, { default_branch: 'main' })
    const sentence = (branch: string) =>
      `Could not set the default branch. Do you have a branch named '${branch}' in your repository?`
    expect([none.status, none.body]).toEqual([400, { message: { base: [sentence('main')] } }])
    const address = `${server.url.replace('http://', `http://alice:${alice.token}@`)}/alice/${name}.git`
    await makeHistory(folder.path, ['one'])
    await git(folder.path, 'push', address, 'main', 'main:refs/heads/next')
    expect((await alice.get(path)).body).toMatchObject({ default_branch: 'main', empty_repo: false, readme_url: null })
    expect((await alice.put(path, { default_branch: 'next' })).body.default_branch).toBe('next')
    const head = await git(folder.path, 'ls-remote', '--symref', address, 'HEAD')
    expect(head.stdout).toContain('ref: refs/heads/next\tHEAD')
    const wrong = await alice.put(path, { default_branch: '../x', description: 'unchanged' })
    expect(wrong.body).toEqual({ message: { base: [sentence('../x')] } })
    expect((await alice.get(`/projects/${id}`)).body.description).toBeNull()
  })

  test('determines the readme', async () => {
    await using folder = await temporaryDirectory()
    const { path, name } = await projectWithBob()
    const address = `${server.url.replace('http://', `http://alice:${alice.token}@`)}/alice/${name}.git`
    const { writeFile } = await import('node:fs/promises')
    await git(folder.path, 'init', '--quiet')
    await writeFile(`${folder.path}/readme.rst`, 'x')
    await writeFile(`${folder.path}/Readme.md`, 'x')
    await git(folder.path, 'add', '.')
    await git(folder.path, 'commit', '--quiet', '--message', 'x')
    await git(folder.path, 'push', address, 'main')
    const url = async () => (await alice.get(path)).body.readme_url
    expect(await url()).toBe(`${server.url}/alice/${name}/-/blob/main/Readme.md`)
    await git(folder.path, 'checkout', '--quiet', '-b', 'rst/only')
    await git(folder.path, 'rm', '--quiet', 'Readme.md')
    await git(folder.path, 'commit', '--quiet', '--message', 'y')
    await git(folder.path, 'push', address, 'rst/only')
    expect(await url()).toBe(`${server.url}/alice/${name}/-/blob/main/Readme.md`)
    await alice.put(path, { default_branch: 'rst/only' })
    expect(await url()).toBe(`${server.url}/alice/${name}/-/blob/rst/only/readme.rst`)
  })
})
